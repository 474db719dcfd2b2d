import type * as z from 'zod'
import type {
  CommandsDefinition,
  HooksDefinition,
  PlatformDefinition,
  PluginDefinition,
  ProviderDefinition,
  ToolsetDefinition,
  WebBackendDefinition,
} from '../define.ts'
import { fail } from '../errors.ts'
import { type CodeKind, manifestSchema } from '../manifest.ts'
import { findLosses, toClosedSchema } from './json-schema.ts'
import { entryPath, type ReadDefinition } from './read-definition.ts'

export interface BuiltEntry {
  /** Name of the bundled file without `.js`: `platform.irc`. */
  readonly name: string
  readonly source: string
}

export interface DefinedManifest {
  readonly manifest: Record<string, unknown>
  readonly entries: readonly BuiltEntry[]
}

const kinds = {
  platforms: 'platform',
  providers: 'provider',
  toolsets: 'toolset',
  webBackends: 'web-backend',
  hooks: 'hooks',
  commands: 'commands',
} as const satisfies Record<string, CodeKind>
/** These may be data alone. */
const withoutCode: readonly string[] = ['providers', 'commands']
const definitionKeys = new Set([...Object.keys(manifestSchema.shape), 'config', ...Object.keys(kinds), 'skills'])
const builtKeys = ['manifestVersion', 'version', 'license', 'contributes', 'configSchema', 'api', '$schema']

type Convert = (schema: z.core.$ZodType, path: string) => Record<string, unknown>

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
  const {
    platforms: _platforms,
    providers: _providers,
    toolsets: _toolsets,
    webBackends: _web,
    hooks: _hooks,
    commands: _commands,
    skills = {},
    config,
    ...data
  } = definition
  const entries: BuiltEntry[] = []
  const contributes: Record<string, unknown[]> = {}
  const api: Record<string, number> = {}
  for (const [field, kind] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
    const list = Object.entries(definition[field] ?? {})
    if (list.length === 0) continue
    api[kind] = 1
    contributes[field] = list.map(([id, written]) => toContribution(kind, id, written, `${field}.${id}`, convert))
    for (const [id, { entry }] of list) {
      if (entry === undefined && withoutCode.includes(field)) continue
      entries.push({ name: `${kind}.${id}`, source: await entryPath(plugin, `${field}.${id}.entry`, entry) })
    }
  }
  const packed = Object.entries(skills).map(([id, { path }]) => ({ id, path }))
  if (packed.length > 0) {
    api.skills = 1
    contributes.skills = packed
  }
  const head = { $schema: about.schema, manifestVersion: 1, version: about.version, license: about.license }
  const own = config ? { configSchema: convert(config, 'config') } : {}
  return { entries, manifest: { ...head, ...data, ...own, api, contributes } }
}

function checkKeys(plugin: string, definition: PluginDefinition): void {
  for (const path of Object.keys(definition)) {
    if (builtKeys.includes(path)) throw fail('PLUGIN_BUILD', { plugin, path, problem: 'is written by the build; leave it out' })
    if (!definitionKeys.has(path)) throw fail('PLUGIN_BUILD', { plugin, path, problem: 'is not a field of a plugin definition' })
  }
}

function toContribution(
  kind: string,
  id: string,
  {
    config,
    entry,
    ...rest
  }: PlatformDefinition | ProviderDefinition | ToolsetDefinition | WebBackendDefinition | HooksDefinition | CommandsDefinition,
  path: string,
  convert: Convert,
): Record<string, unknown> {
  return {
    ...rest,
    id,
    ...(entry ? { entry: `dist/${kind}.${id}.js` } : {}),
    ...(config ? { configSchema: convert(config, `${path}.config`) } : {}),
    ...('tools' in rest ? { tools: listTools(rest, path, convert) } : {}),
  }
}

function listTools(toolset: Pick<ToolsetDefinition, 'tools'>, path: string, convert: Convert): unknown[] {
  return Object.entries(toolset.tools).map(([name, { parameters, ...rest }]) => ({
    ...rest,
    name,
    parameters: convert(parameters, `${path}.tools.${name}.parameters`),
  }))
}
