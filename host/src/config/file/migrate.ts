import { fail } from '@agent/plugin-sdk/errors'
import { type Document, isMap, isScalar, type Pair, YAMLMap } from 'yaml'
import { configVersion } from '../schema/defaults.ts'
import { type MigrationStep, type Move, migrationSteps, moveOfHeader, spellings } from './migrations.ts'

/** Brings a parsed config.yaml to the version of this program, in memory; comments and line numbers stay. True when anything changed. */
export function migrateDocument(document: Document, file: string): boolean {
  const found = document.get('_config_version')
  const version = typeof found === 'number' ? found : 0
  if (version > configVersion) throw fail('CONFIG_TOO_NEW', { file, found: version, known: configVersion })
  const changes = [
    ...headersOf(document).map((one) => applyMove(document, one)),
    ...spellings.map((one) => applyMove(document, one)),
    ...migrationSteps.filter((step) => version < step.to).map((step) => applyStep(document, step)),
    typeof found === 'number' && version < configVersion,
  ]
  if (!changes.includes(true)) return false
  document.set('_config_version', configVersion)
  return true
}

function headersOf(document: Document): readonly Move[] {
  return [...headersIn(document, []), ...headersIn(document, ['platforms'], 'extra')]
}

/** Looks at each value where it stands: asking for it by its name would look through all names again. */
function headersIn(document: Document, path: readonly string[], below?: string): readonly Move[] {
  return (mapAt(document, path)?.items ?? []).flatMap(({ key, value }) => {
    const inner = below === undefined || !isMap(value) ? value : value.get(below)
    if (!isMap(inner) || !inner.has('reply_prefix')) return []
    const name = String(isScalar(key) ? key.value : key)
    return moveOfHeader([...path, name, ...(below === undefined ? [] : [below]), 'reply_prefix']) ?? []
  })
}

function applyStep(document: Document, step: MigrationStep): boolean {
  let changed = false
  for (const one of step.moves) changed = applyMove(document, one) || changed
  for (const { key, into } of step.sections ?? []) {
    const value = document.getIn(key, true)
    if (!isScalar(value) || typeof value.value !== 'string') continue
    // The node itself moves, so that the comment behind it stays.
    document.setIn(key, document.createNode({ [into]: value }))
    changed = true
  }
  for (const { key, from, to } of step.values ?? []) {
    if (document.getIn(key) !== from) continue
    document.setIn(key, to)
    changed = true
  }
  return changed
}

/** Nothing is overwritten: where both places hold something else, the old one stays and is reported as unknown. */
function applyMove(document: Document, { from, to }: Move): boolean {
  const source = mapAt(document, from.slice(0, -1))
  const pair = source && pairOf(source, from.at(-1))
  if (!source || !pair) return false
  const existing = document.getIn(to, true)
  if (existing !== undefined) return mergeInto(source, pair, existing)
  const target = ensureMap(document, to.slice(0, -1))
  if (!target) return false
  if (isScalar(pair.key)) pair.key.value = to.at(-1)
  if (target === source) return true
  source.items.splice(source.items.indexOf(pair), 1)
  target.items.push(pair)
  dropEmpty(document, from.slice(0, -1))
  return true
}

function mergeInto(source: YAMLMap, pair: Pair, existing: unknown): boolean {
  if (!isMap(pair.value) || !isMap(existing)) return false
  const additions = pair.value.items.filter((item) => !existing.has(item.key))
  const inBoth = pair.value.items.filter((item) => existing.has(item.key))
  existing.items.push(...additions)
  pair.value.items = inBoth
  if (inBoth.length === 0) source.items.splice(source.items.indexOf(pair), 1)
  return additions.length > 0 || inBoth.length === 0
}

function mapAt(document: Document, path: readonly string[]): YAMLMap | undefined {
  const node = path.length === 0 ? document.contents : document.getIn(path)
  return isMap(node) ? node : undefined
}

function ensureMap(document: Document, path: readonly string[]): YAMLMap | undefined {
  if (path.length > 0 && document.getIn(path) == null) {
    if (!ensureMap(document, path.slice(0, -1))) return undefined
    document.setIn(path, new YAMLMap())
  }
  return mapAt(document, path)
}

function dropEmpty(document: Document, path: readonly string[]): void {
  if (path.length > 0 && mapAt(document, path)?.items.length === 0) document.deleteIn(path)
}

function pairOf(map: YAMLMap, name: string | undefined): Pair | undefined {
  return map.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === name)
}
