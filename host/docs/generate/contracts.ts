import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractKinds, kinds } from '#kernel/kinds.ts'
import { code, formatText, type Page } from './markdown.ts'

/** A type of the contract as its source has it, with its comments. */
interface Declaration {
  readonly name: string
  readonly text: string
}

const folder = 'plugin-sdk/docs/reference'
const isOfSchema = /= z\.(?:output|input)</

/** A page for each kind of contribution, from the sources of its types, and one for the types that several kinds name. */
export function describeContracts(root: string): readonly Page[] {
  const known = readAll(join(root, 'plugin-sdk', 'src'))
  const sources = contractKinds.map((kind) => {
    const statements = readStatements(readFileSync(join(root, 'plugin-sdk', 'src', 'kinds', `${kind}.ts`), 'utf8'))
    const own = statements.flatMap(readExported).filter(({ text }) => !isOfSchema.test(text))
    const manifest = statements.filter((text) => /^const \w+ = z\b/m.test(text))
    return { kind, own, manifest, named: findNamed(own, known) }
  })
  const times = new Map<string, number>()
  for (const { named } of sources) for (const { name } of named) times.set(name, (times.get(name) ?? 0) + 1)
  const isShared = ({ name }: Declaration): boolean => (times.get(name) ?? 0) > 1
  const pages = sources.map(({ kind, own, manifest, named }) => {
    const shown = [...own, ...named.filter((one) => !isShared(one))]
    const words = new Set(shown.flatMap(readNames))
    const links = named.filter((one) => isShared(one) && words.has(one.name)).map(linkTo)
    return page(kind, `The contract of a ${kinds[kind].title}`, [
      `What the source of \`@agent/plugin-sdk\` says about this kind; [the guide](../${kind}.md) says how it is used.`,
      ...shown.map(section),
      ...(links.length > 0 ? [`## Named by other kinds too\n\n${links.sort().join(' · ')}`] : []),
      `## In the manifest\n\n${block(manifest.join('\n\n'))}`,
    ])
  })
  const shared = [...new Map(sources.flatMap(({ named }) => named.filter(isShared)).map((one) => [one.name, one])).values()]
  shared.sort((one, other) => (one.name < other.name ? -1 : 1))
  return [
    ...pages,
    page('shared', 'Types of several kinds', ['Types that the contracts of more than one kind name.', ...shared.map(section)]),
  ]
}

const page = (name: string, title: string, parts: readonly string[]): Page => ({
  file: `${folder}/${name}.md`,
  text: formatText(title, parts),
})
const linkTo = ({ name }: Declaration): string => `[${code(name)}](shared.md#${name.toLowerCase()})`
const block = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``
const section = ({ name, text }: Declaration): string => `## ${name}\n\n${block(text)}`

/** Every exported type of the contract and its kinds. */
function readAll(sdk: string): ReadonlyMap<string, Declaration> {
  const files = ['contract', 'kinds'].flatMap((part) =>
    readdirSync(join(sdk, part), { recursive: true, encoding: 'utf8' }).map((file) => join(sdk, part, file)),
  )
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort()
  const found = sources.flatMap((file) => readStatements(readFileSync(file, 'utf8')).flatMap(readExported))
  return new Map(found.filter(({ text }) => !isOfSchema.test(text)).map((one) => [one.name, one]))
}

/** Statements at the left margin, each with the comment above it. */
function readStatements(text: string): readonly string[] {
  return text.split(/\n(?=\/\*\*)|(?<!\*\/)\n(?=[a-z])/).map((statement) => statement.trim())
}

function readExported(text: string): readonly Declaration[] {
  const [, name] = /^export (?:interface|type) (\w+)/m.exec(text) ?? []
  return name === undefined ? [] : [{ name, text }]
}

/** The types that a declaration names, outside of its comments. */
const readNames = ({ text }: Declaration): readonly string[] => text.replace(/\/\*\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w*/g) ?? []

/** What these types name, and what that names, in the order in which a reader meets it. */
function findNamed(own: readonly Declaration[], known: ReadonlyMap<string, Declaration>): readonly Declaration[] {
  const found = new Map(own.map((one) => [one.name, one]))
  const queue = [...own]
  for (const each of queue) {
    for (const name of readNames(each)) {
      const next = known.get(name)
      if (next === undefined || found.has(name)) continue
      found.set(name, next)
      queue.push(next)
    }
  }
  return queue.slice(own.length)
}
