import type { Manifest } from '@agent/plugin-sdk'
import { code, formatPage, formatTable, type Page } from './markdown.ts'

/** The bundled plugins, as their manifests say. */
export function describePlugins(manifests: readonly Manifest[]): Page {
  return formatPage('plugins', 'Bundled plugins', [
    '`agent plugins info <plugin>` prints the same for what is installed, `agent plugins why <plugin>` whether it runs.',
    formatTable(
      ['plugin', 'brings', 'what it does'],
      manifests.map((manifest) => [code(manifest.id), listContributions(manifest).join(', '), manifest.description]),
    ),
    ...manifests.flatMap(describeSettings),
  ])
}

function listContributions({ contributes: { platforms, providers, toolsets } }: Manifest): readonly string[] {
  return [
    ...platforms.map(({ id }) => `platform ${code(id)}`),
    ...providers.map(({ id, defaultModel }) => `provider ${code(id)}${defaultModel ? ` (${defaultModel})` : ''}`),
    ...toolsets.map(({ tools }) => `tools ${tools.map(({ name }) => code(name)).join(', ')}`),
  ]
}

/** Settings under `platforms.<id>.extra` or `plugins.entries.<id>.config`. */
function describeSettings({ id, name, configSchema, contributes }: Manifest): readonly string[] {
  const places = [
    ...contributes.platforms.map((spec) => ({ at: `platforms.${spec.id}.extra`, schema: spec.configSchema })),
    ...contributes.toolsets.map((spec) => ({ at: `plugins.entries.${id}.config`, schema: spec.configSchema })),
    ...contributes.providers.map((spec) => ({ at: `plugins.entries.${id}.config`, schema: spec.configSchema })),
    { at: `plugins.entries.${id}.config`, schema: configSchema },
  ]
  return places.flatMap(({ at, schema }) => {
    const properties = Object.entries((schema?.properties ?? {}) as Readonly<Record<string, Property>>)
    if (properties.length === 0) return []
    const rows = properties.map(([key, property]) => [
      code(key),
      valuesOf(property),
      property.default === undefined ? '' : code(JSON.stringify(property.default)),
    ])
    return [`## ${name}: \`${at}\``, formatTable(['key', 'values', 'default'], rows)]
  })
}

interface Property {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

function valuesOf(property: Property): string {
  return property.enum?.map((value) => code(String(value))).join(', ') ?? property.type ?? 'any'
}
