import type * as z from 'zod'
import { fail } from '../contract/errors.ts'
import type { Convert, KindContract } from '../kinds/contract.ts'
import type { PluginDefinition } from '../kinds/define.ts'
import { type ContractKind, contractKinds, contracts, kinds } from '../kinds/kinds.ts'
import { manifestSchema } from '../kinds/manifest.ts'
import type { KindRow } from '../kinds/row.ts'
import { describeUnknown } from './explain-issue.ts'
import { findLosses, toClosedSchema } from './json-schema.ts'
import { entryPath, type ReadDefinition } from './read-definition.ts'

/** One entry of a plugin: what its bundle is called, and the source that it is made of. */
export interface BuiltEntry {
  /** Name of the bundled file without `.js`: `platform.irc`. */
  readonly name: string
  readonly source: string
}

export interface DefinedManifest {
  readonly manifest: Record<string, unknown>
  readonly entries: readonly BuiltEntry[]
}

const lists: readonly string[] = contractKinds.map((kind) => kinds[kind].list)
const definitionKeys = new Set([...Object.keys(manifestSchema.shape), ...lists, 'config'])
const builtKeys = ['manifestVersion', 'version', 'license', 'contributes', 'configSchema', 'api', '$schema']

/** The manifest that a definition stands for, with the source of each entry. */
export async function toManifest(
  { definition, toJsonSchema }: ReadDefinition,
  about: { readonly version: string; readonly license: string; readonly schema: string },
): Promise<DefinedManifest> {
  const plugin = String(definition.id)
  checkKeys(plugin, definition)
  const convert: Convert = (schema, path) => {
    const [loss] = findLosses(schema, path)
    if (loss) throw fail('PLUGIN_BUILD', { plugin, ...loss })
    return toClosedSchema(schema, toJsonSchema)
  }
  const { config, ...fields } = definition
  const data = Object.fromEntries(Object.entries(fields).filter(([field]) => !lists.includes(field)))
  const entries: BuiltEntry[] = []
  const contributes: Record<string, unknown[]> = {}
  const api: Record<string, number> = {}
  for (const kind of contractKinds) {
    const { list, code }: KindRow = kinds[kind]
    const written = Object.entries((definition[list as keyof PluginDefinition] ?? {}) as Readonly<Record<string, Written>>)
    if (written.length === 0) continue
    api[kind] = 1
    contributes[list] = written.map(([id, one]) => toContribution(kind, id, one, convert))
    for (const [id, { entry }] of written) {
      if (code === 'none' || (code === 'optional' && entry === undefined)) continue
      entries.push({ name: `${kind}.${id}`, source: await entryPath(plugin, `${list}.${id}.entry`, entry) })
    }
  }
  const head = { $schema: about.schema, manifestVersion: 1, version: about.version, license: about.license }
  const own = config ? { configSchema: convert(config, 'config') } : {}
  return { entries, manifest: { ...head, ...data, ...own, api, contributes } }
}

function checkKeys(plugin: string, definition: PluginDefinition): void {
  for (const path of Object.keys(definition)) {
    if (builtKeys.includes(path)) throw fail('PLUGIN_BUILD', { plugin, path, problem: 'is written by the build; leave it out' })
    if (!definitionKeys.has(path)) {
      const known = [...definitionKeys].filter((key) => !builtKeys.includes(key)).sort()
      throw fail('PLUGIN_BUILD', { plugin, path: 'src/plugin.ts', problem: describeUnknown('field', path, known) })
    }
  }
}

type Written = Readonly<Record<string, unknown>> & { readonly config?: z.ZodObject; readonly entry?: unknown }

function toContribution(kind: ContractKind, id: string, { config, entry, ...rest }: Written, convert: Convert): Record<string, unknown> {
  const path = `${kinds[kind].list}.${id}`
  const { write }: KindContract = contracts[kind] as KindContract
  return {
    ...rest,
    id,
    ...(entry ? { entry: `dist/${kind}.${id}.js` } : {}),
    ...(config ? { configSchema: convert(config, `${path}.config`) } : {}),
    ...write?.(rest, path, convert),
  }
}
