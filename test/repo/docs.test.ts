import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { openCommandTree } from '../../host/src/cli/command-tree.ts'
import { openEnvironment } from '../../host/src/config/environment/environment.ts'
import { checkText } from '../../host/src/config/file/check-text.ts'
import { manifestSchema } from '../../plugin-sdk/src/kinds/manifest.ts'
import { listFiles, readJson, readText, root } from './source-files.ts'

/** Pages of plugins are the Markdown files beside their manifests. */
const ofPlugins = listFiles('plugins', /^plugins\/[^/]+\/[^/]+\/[^/]+\.md$/)
const pages = ['README.md', ...listFiles('host/docs', /\.md$/), ...listFiles('plugin-sdk/docs', /\.md$/), ...ofPlugins]
const handWritten = pages.filter((page) => !page.includes('/reference/') && !page.endsWith('/REFERENCE.md'))
const contents = [
  'README.md',
  'host/docs/README.md',
  'host/docs/decisions.md',
  'host/docs/reference/README.md',
  'host/docs/reference/plugins.md',
  'plugin-sdk/docs/README.md',
]
/** What is read from the top to the bottom; the lists of decisions are looked up. */
const toBeRead = handWritten.filter((page) => !page.startsWith('host/docs/decisions'))
const mostLines = 120

interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
}

const blocks: readonly Block[] = handWritten.flatMap((page) =>
  [...readText(page).matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)].map(([, language = '', text = '']) => ({ page, language, text })),
)
const blocksOf = (...languages: readonly string[]): readonly Block[] => blocks.filter(({ language }) => languages.includes(language))

/** Command lines of a shell block, continued lines joined, comments gone. In a console what follows `$` was typed. */
function commandsOf({ text, language }: Block): readonly (readonly string[])[] {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => language === 'sh' || line.startsWith('$ '))
    .map((line) => line.trim().replace(/^\$ /, ''))
    .map((line) => [...line.matchAll(/'[^']*'|"[^"]*"|#.*|\S+/g)].map(([word]) => word).filter((word) => !word.startsWith('#')))
}

const shell = blocksOf('sh', 'console').flatMap((block) => commandsOf(block).map((words) => ({ page: block.page, words })))

/** Why commander would refuse these words; undefined when it takes them. Nothing is run. */
function refusalOf(words: readonly string[], commands: readonly Command[]): string | undefined {
  const own = words[0] === '-p' ? words.slice(2) : words
  let command = commands.find((each) => each.name() === own[0])
  if (!command) return `there is no command ${own[0]}`
  let rest = own.slice(1)
  for (let next = find(command, rest[0]); next; next = find(command, rest[0])) {
    command = next
    rest = rest.slice(1)
  }
  const { operands, unknown } = command.parseOptions([...rest])
  if (unknown.length > 0) return `${command.name()} does not know ${unknown.join(' ')}`
  const needed = command.registeredArguments.filter(({ required }) => required).length
  const taken = command.registeredArguments.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : command.registeredArguments.length
  if (command.commands.length > 0) return operands.length > 0 ? `${command.name()} has no command ${operands[0]}` : undefined
  return operands.length < needed || operands.length > taken ? `${command.name()} takes other arguments` : undefined
}

function find(command: Command, name: string | undefined): Command | undefined {
  return command.commands.find((each) => each.name() === name)
}

test('the check of commands sees what is wrong', async () => {
  const commands = await openCommandTree()
  expect(refusalOf(['sessions', 'rename', 'latest', 'a', 'title'], commands)).toBeUndefined()
  expect(refusalOf(['sessions', 'rename', 'latest'], commands)).toMatch(/arguments/)
  expect(refusalOf(['sessions', 'burn'], commands)).toMatch(/no command burn/)
  expect(refusalOf(['chat', '--loud'], commands)).toMatch(/--loud/)
})

test('every command of the documentation exists with its options', async () => {
  const commands = await openCommandTree()
  const given = shell.flatMap(({ page, words }) => {
    const bare = words[0] === 'npx' ? words.slice(1) : words
    return bare[0] === 'agent' ? [{ page, words: bare.slice(1) }] : []
  })
  expect(given.length).toBeGreaterThan(20)
  const refused = given.map(({ page, words }) => ({ page, words: words.join(' '), problem: refusalOf(words, commands) }))
  expect(refused.filter(({ problem }) => problem !== undefined)).toEqual([])
})

test('every npm script of the documentation exists', () => {
  const { scripts } = readJson('package.json') as { scripts: Record<string, string> }
  const ofNpm = ['install', 'pack']
  const named = shell.filter(({ words }) => words[0] === 'npm').map(({ words }) => (words[1] === 'run' ? words[2] : words[1]) ?? '')
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !Object.hasOwn(scripts, name) && !ofNpm.includes(name))).toEqual([])
})

test('blocks of settings fit the schema, and blocks of JSON are manifests', () => {
  const environment = openEnvironment({ MODEL_API_KEY: 'sk-any-key' })
  const problems = blocksOf('yaml').map(({ page, text }) => ({ page, problems: checkText(page, text, environment).problems }))
  expect(problems.length).toBeGreaterThan(3)
  expect(problems.filter((one) => one.problems.length > 0)).toEqual([])
  for (const { page, text } of blocksOf('json')) expect(manifestSchema.safeParse(JSON.parse(text)).error, page).toBeUndefined()
})

interface Link {
  readonly page: string
  /** The file it leads to, from the top of the repository. */
  readonly target: string
  readonly heading: string
}

const links: readonly Link[] = pages.flatMap((page) =>
  [...readText(page).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)]
    .filter(([, path = '']) => !/^[a-z]+:/.test(path))
    .map(([, path = '', heading = '']) => ({ page, target: path === '' ? page : join(dirname(page), path), heading })),
)

/** The names by which headings of a page can be linked. */
function headingsOf(page: string): ReadonlySet<string> {
  const headings = [...readText(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('links lead to files and headings that exist', () => {
  expect(links.length).toBeGreaterThan(300)
  expect(links.filter(({ target }) => !existsSync(join(root, target)))).toEqual([])
  const named = links.filter(({ heading, target }) => heading !== '' && target.endsWith('.md'))
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ heading, target }) => !headingsOf(target).has(heading))).toEqual([])
})

test('every page is linked from a table of contents, or from a page of its plugin', () => {
  const isListed = (page: string): boolean =>
    links.some((link) => link.target === page && link.page !== page && (contents.includes(link.page) || isOfOnePlugin(link.page, page)))
  expect(pages.filter((page) => page !== 'README.md' && !isListed(page))).toEqual([])
})

function isOfOnePlugin(one: string, other: string): boolean {
  return one.startsWith('plugins/') && dirname(one) === dirname(other)
}

test(`a page that is read as a whole has at most ${mostLines} lines`, () => {
  expect(toBeRead.length).toBeGreaterThan(50)
  const lines = toBeRead.map((page) => ({ page, lines: readText(page).trimEnd().split('\n').length }))
  expect(lines.filter((one) => one.lines > mostLines)).toEqual([])
})

test('a page begins with what it is for', () => {
  const beginnings = toBeRead.map((page) => ({ page, begins: /^# .+\n\n(.*)/.exec(readText(page))?.[1] ?? '' }))
  expect(beginnings.filter(({ begins }) => !/^[\p{L}`[*]/u.test(begins) || begins.startsWith('```'))).toEqual([])
})

test('the page of a messaging platform says how it is set up, who is let in, and what to do when nothing answers', () => {
  const messaging = ofPlugins.filter((page) => page.endsWith('/README.md') && doorOf(dirname(page)) === 'messaging')
  expect(messaging.length).toBeGreaterThan(5)
  const wanted = ['set-it-up', 'let-people-in', 'when-nothing-answers', 'settings', 'what-to-know']
  const lacking = messaging.map((page) => ({ page, without: wanted.filter((heading) => !headingsOf(page).has(heading)) }))
  expect(lacking.filter(({ without }) => without.length > 0)).toEqual([])
})

function doorOf(folder: string): string | undefined {
  return manifestSchema.parse(readJson(`${folder}/agent.plugin.json`)).contributes.platforms.at(0)?.door
}
