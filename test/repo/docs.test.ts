import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { openCommandTree } from '../../host/src/cli/command-tree.ts'
import { openEnvironment } from '../../host/src/config/environment/environment.ts'
import { checkText } from '../../host/src/config/file/check-text.ts'
import { manifestSchema } from '../../plugin-sdk/src/kinds/manifest.ts'
import { listFiles, readJson, readText, root } from './source-files.ts'

const pages = ['README.md', ...listFiles('host/docs', /\.md$/), ...listFiles('plugin-sdk/docs', /\.md$/)]
const handWritten = pages.filter((page) => !page.includes('/reference/'))

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

test('links lead to files that exist', () => {
  const links = pages.flatMap((page) =>
    [...readText(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => ({ page, target }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  )
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(({ page, target }) => !existsSync(join(root, dirname(page), target)))).toEqual([])
})

test('README is short', () => {
  expect(readText('README.md').split('\n').length).toBeLessThanOrEqual(120)
})
