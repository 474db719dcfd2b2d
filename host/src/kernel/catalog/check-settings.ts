import type { Manifest } from '@agent/plugin-sdk'
import { nearestName } from '../nearest-name.ts'
import { because, type Reason } from '../reasons.ts'
import { checkSchema } from '../schema/json-schema.ts'
import type { JsonSchema } from '../schema/schema-check.ts'

/** Nobody reads more at once. */
const most = 20

/** Why settings do not fit. A schema is compiled only where something is set, or where something must be. */
export async function checkSettings(
  schema: JsonSchema | undefined,
  settings: { readonly key: string; readonly value: unknown },
): Promise<Reason | undefined> {
  if (schema === undefined || (settings.value === undefined && !demandsValue(schema))) return undefined
  const checked = await checkSchema(schema, settings.value ?? {})
  return checked.ok ? undefined : describeMisfit(settings.key, checked)
}

/** Which setting is wrong, and how. */
export function describeMisfit(root: string, { path, problem }: { readonly path: string; readonly problem: string }): Reason {
  const key = path === '' ? root : `${root}.${path}`
  return because('config-invalid', { key, problem, missing: problem === 'is missing' })
}

/** A setting that does not fit the schema of a plugin. */
interface Misfit {
  readonly path: readonly string[]
  readonly problem: string
}

interface Written {
  readonly platforms: Readonly<Record<string, { readonly extra?: unknown } | undefined>>
  readonly plugins: { readonly entries: Readonly<Record<string, { readonly config?: unknown } | undefined>> }
}

/** Everything that is wrong in what is written for a plugin, whether it runs or not; what is missing matters only to one that runs. */
export async function findMisfits({ id, configSchema, contributes }: Manifest, written: Written): Promise<readonly Misfit[]> {
  const own = { path: ['plugins', 'entries', id, 'config'], value: written.plugins.entries[id]?.config }
  const blocks: readonly { readonly schema: JsonSchema | undefined; readonly path: readonly string[]; readonly value: unknown }[] = [
    { ...own, schema: configSchema ?? contributes.toolsets.find((each) => each.configSchema)?.configSchema },
    ...contributes.platforms.map((spec) => ({
      ...{ schema: spec.configSchema, path: ['platforms', spec.id, 'extra'] },
      value: written.platforms[spec.id]?.extra,
    })),
  ]
  const found = await Promise.all(
    blocks.map(({ schema, path, value }) => (schema === undefined || value === undefined ? [] : findAll(schema, path, value))),
  )
  return found.flat()
}

/** A check names the first misfit; without it the next one is seen. */
async function findAll(schema: JsonSchema, root: readonly string[], value: unknown): Promise<readonly Misfit[]> {
  const found: Misfit[] = []
  const taken: (readonly string[])[] = []
  let rest: unknown = structuredClone(value)
  while (found.length < most) {
    const checked = await checkSchema(schema, rest)
    if (checked.ok || checked.problem === 'is missing') break
    const path = checked.path === '' ? [] : checked.path.split('.')
    const written = asWritten(path, taken)
    found.push({ path: [...root, ...written], problem: `${checked.problem}${suggest(schema, path)}` })
    if (path.length === 0) break
    if (Array.isArray(innerOf(rest, path.slice(0, -1)))) taken.push(written)
    rest = without(rest, path)
  }
  return found
}

/** Where a value stood before items of lists around it were taken out. */
function asWritten(path: readonly string[], taken: readonly (readonly string[])[]): readonly string[] {
  const written: string[] = []
  for (const name of path) {
    const before = taken.filter((one) => one.length === written.length + 1 && written.every((each, at) => one[at] === each))
    const gone = before.map((one) => Number(one.at(-1))).sort((a, b) => a - b)
    written.push(gone.reduce((at, item) => (Number(at) >= item ? String(Number(at) + 1) : at), name))
  }
  return written
}

function suggest({ properties }: JsonSchema, [name = '', ...more]: readonly string[]): string {
  if (more.length > 0 || typeof properties !== 'object' || properties === null || name in properties) return ''
  const nearest = nearestName(name, Object.keys(properties))
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

function without(value: unknown, [first = '', ...more]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const at = Number(first)
    return more.length === 0 ? value.toSpliced(at, 1) : value.map((item, index) => (index === at ? without(item, more) : item))
  }
  if (typeof value !== 'object' || value === null) return value
  const { [first]: inner, ...rest } = value as Readonly<Record<string, unknown>>
  return more.length === 0 || inner === undefined ? rest : { ...rest, [first]: without(inner, more) }
}

/** What stands around a misfit is there. */
function innerOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], value)
}

function demandsValue(schema: JsonSchema): boolean {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, { readonly default?: unknown } | undefined>>
  return Array.isArray(schema.required) && schema.required.some((name) => properties[String(name)]?.default === undefined)
}
