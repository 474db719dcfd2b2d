import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declarationOf, listEntries, writeDeclarations } from './declarations.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const file = join(root, 'api.txt')

/** Writes `api.txt`, every exported name of every entry point and every type that it names, with its declaration; `check` only compares. True when it was stale. */
export async function writeApiReport({ check }) {
  const text = formatReport()
  const changed = !existsSync(file) || readFileSync(file, 'utf8') !== text
  if (changed && !check) writeFileSync(file, text)
  return changed
}

function formatReport() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-api-'))
  try {
    writeDeclarations(folder)
    const doors = listEntries().map(({ name, source }) => ({ name, exported: readExports(join(folder, declarationOf(source))) }))
    const known = new Set(doors.flatMap(({ exported }) => [...exported.keys()]))
    const sections = doors.map(({ name, exported }) => {
      const title = `## @agent/plugin-sdk${name.slice(1)}`
      const named = findNamed([...exported.values()], known)
      const rest = named.size === 0 ? '' : `\n### Named by these, and not exported\n\n${format(named).replace(/^export /gm, '')}`
      return `${title}\n\n${format(exported)}${rest}`
    })
    return `# The public surface of the SDK. Generated: run npm run generate.\n\n${sections.join('\n')}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function format(found) {
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([, { text, comment = '' }]) => `${comment}${text}\n`).join('')
}

/** Declarations that others name and no entry point exports, followed from file to file. */
function findNamed(others, known) {
  const found = new Map()
  const queue = [...others]
  for (const { text, path } of queue) {
    for (const name of text.match(/\b[A-Z]\w*/g) ?? []) {
      if (known.has(name) || found.has(name)) continue
      const declared = findDeclared(name, path)
      if (declared === undefined) continue
      found.set(name, declared)
      queue.push(declared)
    }
  }
  return found
}

/** Where a name of a file is declared: there, or in the file that it is imported from. */
function findDeclared(name, path) {
  for (const { text, comment } of statements(readFileSync(path, 'utf8'))) {
    if (new RegExp(`^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|const|class) ${name}\\b`).test(text))
      return { text, comment, path }
    const [, list = '', from = ''] = /^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/.exec(text) ?? []
    if (new RegExp(`\\b${name}\\b`).test(list)) return findDeclared(name, join(dirname(path), from.replace(/\.js$/, '.d.ts')))
  }
}

/** Name → declaration of everything that a declaration file exports, followed through its re-exports. */
function readExports(path) {
  const found = new Map()
  for (const { text: statement, comment } of statements(readFileSync(path, 'utf8'))) {
    const [, name] = /^export (?:declare )?(?:abstract )?(?:type|interface|const|function|class) (\w+)/.exec(statement) ?? []
    if (name) found.set(name, { text: statement, comment, path })
    for (const [each, declared] of readReexports(statement, path)) found.set(each, declared)
  }
  return found
}

function readReexports(statement, path) {
  const [, onlyTypes, names, from] = /^export (type )?(\*|\{[^}]*\}) from '([^']*)'/.exec(statement) ?? []
  if (from === undefined) return []
  const source = readExports(join(dirname(path), from.replace(/\.js$/, '.d.ts')))
  if (names === '*') return [...source].filter(([, { text }]) => !onlyTypes || /^export (type|interface)/.test(text))
  return names.match(/\w+/g).map((name) => {
    if (!source.has(name)) throw new Error(`${path} exports ${name}, which ${from} does not declare.`)
    return [name, source.get(name)]
  })
}

/** Top-level statements, each with what its comment says first: they begin at the left margin with a word. Comments inside of them are left out. */
function statements(text) {
  let comment = ''
  return text.split(/\n(?=[a-z]|\/\*\*)/).flatMap((part) => {
    if (part.startsWith('/**')) comment = part
    if (!/^[a-z]/.test(part)) return []
    const found = { text: part.replace(/^\s*\/\*\*[\s\S]*?\*\/\n?/gm, '').trim(), comment: summaryOf(comment) }
    comment = ''
    return [found]
  })
}

function summaryOf(comment) {
  const words = comment
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .replace(/\n \*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const [first = ''] = /^.*?\.(?= |$)|^.*$/.exec(words) ?? []
  return first === '' ? '' : `/** ${first} */\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check')
  const stale = await writeApiReport({ check })
  if (stale) console.error(check ? 'plugin-sdk/api.txt is stale: run npm run generate.' : 'plugin-sdk/api.txt written.')
  process.exitCode = stale && check ? 1 : 0
}
