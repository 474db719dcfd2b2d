import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const next = 'next'

/**
 * @typedef {Record<string, { readonly door: string, readonly says: string, readonly print: string }>} Surface by `<door> <name>`
 * @typedef {{ readonly name: string, readonly since: string, readonly until: string, readonly use: string }} Ending
 */

/**
 * Every exported name of a report of the public surface, with what its comment says first and a print of its declaration.
 * @param {string} report
 * @returns {Surface}
 */
export function readSurface(report) {
  /** @type {Record<string, { door: string, says: string, text: string }>} */
  const found = {}
  for (const section of report.split(/^## /m).slice(1)) {
    const [exported = ''] = section.split('\n### ')
    const door = exported.slice(0, exported.indexOf('\n')).trim()
    for (const [, says = '', text = '', name = ''] of exported.matchAll(declaration)) {
      // A constant and the type of the same name, and the forms of one function, are one name.
      const before = found[`${door} ${name}`]
      found[`${door} ${name}`] = { door, says: before?.says || says, text: `${before?.text ?? ''}${text.trim()}\n` }
    }
  }
  return Object.fromEntries(Object.entries(found).map(([key, { text, ...row }]) => [key, { ...row, print: printOf(text) }]))
}

const declaration =
  /^(?:\/\*\* (.*) \*\/\n)?(export (?:declare )?(?:abstract )?(?:type|interface|const|function|class) (\w+)[\s\S]*?)(?=\n(?:export |\/\*\* )|(?![\s\S]))/gm

const printOf = (text) => createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('hex').slice(0, 12)

/**
 * A surface as the file that is kept of a released version: a line for each name.
 * @param {Surface} surface
 */
export function formatSurface(surface) {
  return Object.entries(surface)
    .map(([key, { print, says }]) => `${key} ${print} ${says}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/**
 * @param {string} text
 * @returns {Surface}
 */
export function parseSurface(text) {
  const rows = text.split('\n').flatMap((line) => {
    const [, door, name, print, says] = /^(\S+) (\S+) (\S+) ?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[`${door} ${name}`, { door, says, print }]]
  })
  return Object.fromEntries(rows)
}

/**
 * The changelog, the newest version first.
 * @param {{ readonly surfaces: Readonly<Record<string, Surface>>, readonly current: Surface, readonly notes: Readonly<Record<string, readonly string[]>>, readonly endings: readonly Ending[] }} known
 */
export function formatChangelog({ surfaces, current, notes, endings }) {
  const released = Object.keys(surfaces).sort(compareVersions)
  const all = [...released, next]
  const sections = all.map((version, at) => {
    const before = surfaces[all[at - 1] ?? '']
    const now = surfaces[version] ?? current
    const ends = endings.filter(({ since }) => (released.includes(since) ? since : next) === version)
    const parts = [
      (notes[version] ?? []).map((note) => `${note}\n`).join('\n'),
      ...(before === undefined ? [`The first surface: ${Object.keys(now).length} names.\n`] : listChanges(before, now)),
      list(
        'Deprecated',
        ends.map(({ name, until, use }) => `\`${name}\`, served until ${until}: use ${use}`),
      ),
    ]
    const text = parts.filter(Boolean).join('\n')
    return text === '' ? '' : `## ${version === next ? 'Not released yet' : version}\n\n${text}`
  })
  return ['# Changes of the plugin SDK\n\nGenerated: run npm run generate.\n', ...sections.filter(Boolean).reverse()].join('\n')
}

/** @param {Surface} before @param {Surface} now */
function listChanges(before, now) {
  const tell = (surface) => (key) => `\`${key.split(' ')[1]}\` (${surface[key].door})${surface[key].says && `: ${surface[key].says}`}`
  return [
    list(
      'Added',
      Object.keys(now)
        .filter((key) => !before[key])
        .map(tell(now)),
    ),
    list(
      'Changed',
      Object.keys(now)
        .filter((key) => before[key] && before[key].print !== now[key].print)
        .map(tell(now)),
    ),
    list(
      'Removed',
      Object.keys(before)
        .filter((key) => !now[key])
        .map(tell(before)),
    ),
  ]
}

const list = (title, lines) => (lines.length === 0 ? '' : `### ${title}\n\n${lines.map((line) => `- ${line}\n`).join('')}`)

function compareVersions(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}

const files = { changelog: join(root, 'CHANGELOG.md'), surfaces: join(root, 'surfaces') }
const read = (name) => readFileSync(join(root, name), 'utf8')

/** Writes `CHANGELOG.md` from the report, the surfaces of released versions, `changes.yaml` and `deprecated.json`; `check` only compares. True when it was stale. */
export function writeChangelog({ check }) {
  const versions = readdirSync(files.surfaces).map((file) => file.replace(/\.txt$/, ''))
  const { names, fields, contracts } = JSON.parse(read('deprecated.json'))
  const text = formatChangelog({
    surfaces: Object.fromEntries(versions.map((version) => [version, parseSurface(read(`surfaces/${version}.txt`))])),
    current: readSurface(read('api.txt')),
    notes: parse(read('changes.yaml')),
    endings: [
      ...names,
      ...fields.map((row) => ({ ...row, name: row.field })),
      ...contracts.map((row) => ({ ...row, name: `version ${row.version} of ${row.contract}` })),
    ],
  })
  const changed = !existsSync(files.changelog) || readFileSync(files.changelog, 'utf8') !== text
  if (changed && !check) writeFileSync(files.changelog, text)
  return changed
}

/** Keeps the surface of today as that of the version in `package.json`: the next changes are told against it. */
function release() {
  const { version } = JSON.parse(read('package.json'))
  mkdirSync(files.surfaces, { recursive: true })
  writeFileSync(join(files.surfaces, `${version}.txt`), formatSurface(readSurface(read('api.txt'))))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--release')) release()
  writeChangelog({ check: false })
}
