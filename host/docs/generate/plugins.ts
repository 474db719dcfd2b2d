import type { EnvManifest, Manifest, PlatformManifest } from '@agent/plugin-sdk'
import { code, formatPage, formatTable, formatText, type Page } from './markdown.ts'

export interface BundledPlugin {
  /** From the root of the repository. */
  readonly folder: string
  readonly manifest: Manifest
}

/** What a variable must hold, in words. */
const forms: Readonly<Record<Extract<EnvManifest['value'], string>, string>> = {
  switch: 'true or false',
  port: 'a port, from 1',
  'listen-port': 'a port; 0 takes a free one',
  number: 'a number',
  address: 'an http or https address',
}

const headings: readonly (readonly [kind: string, heading: string])[] = [
  ['platforms', 'Platforms'],
  ['providers', 'Providers'],
  ['toolsets', 'Toolsets'],
  ['web-backends', 'Web backends'],
  ['images', 'Image backends'],
  ['context', 'Context engines'],
  ['panels', 'Panels of the dashboard'],
  ['memory', 'Memory providers'],
  ['hooks', 'Hooks'],
]

/** Every bundled plugin, with what it needs before it works and a link to its page. */
export function listPlugins(plugins: readonly BundledPlugin[]): Page {
  const parts = headings.map(([kind, heading]) => {
    const rows = plugins.filter(({ folder }) => folder.split('/')[1] === kind).map(rowOf)
    return `## ${heading}\n\n${formatTable(['name', 'what it is', 'needs'], rows)}`
  })
  const about =
    'These plugins come with the program. A page says how to set its plugin up, the other what it can do and which settings it has.'
  return formatPage('plugins', 'Bundled plugins', [about, ...parts])
}

function rowOf({ folder, manifest: { description, env } }: BundledPlugin): readonly string[] {
  const [, , name = ''] = folder.split('/')
  const needed = env.filter(({ required }) => required).map((each) => code(each.name))
  return [`[${name}](../../../${folder}/README.md) ([settings](../../../${folder}/REFERENCE.md))`, description, needed.join(', ')]
}

/** What the manifest of a plugin says, in words. */
export function describePlugin({ folder, manifest }: BundledPlugin): Page {
  const yes = (value: boolean): string => (value ? 'yes' : '')
  const variables = manifest.env.map(({ name, prompt, value, secret, required }) => [
    code(name),
    prompt,
    typeof value === 'object' ? value.map(code).join(', ') : value === undefined ? '' : forms[value],
    yes(secret),
    yes(required),
  ])
  const text = formatText(manifest.id, [
    manifest.description,
    `Brings ${listContributions(manifest).join(', ')}.`,
    ...manifest.contributes.platforms.map(describePlatform),
    ...describeSettings(manifest),
    ...(variables.length === 0 ? [] : ['## Variables', formatTable(['variable', 'what it is', 'values', 'secret', 'required'], variables)]),
  ])
  return { file: `${folder}/REFERENCE.md`, text }
}

function describePlatform({ door, capabilities, limits, unknownSenders, gate }: PlatformManifest): string {
  if (door === 'request') return '- Answers requests: it sends nothing unasked, and its callers are not paired.'
  const able = Object.entries(capabilities).flatMap(([name, has]) => (has ? [code(name)] : []))
  const strangers = unknownSenders === 'pair' ? 'are offered a pairing code' : 'are not answered'
  return [
    `- Can: ${able.length === 0 ? 'send and receive text' : able.join(', ')}.`,
    `- Longest message: ${limits.maxLength} ${limits.unit === 'utf16' ? 'UTF-16 units' : limits.unit}.`,
    gate === 'source' ? '- Everybody who passes its own check is answered.' : `- Unknown senders ${strangers}.`,
  ].join('\n')
}

function listContributions({ contributes: { platforms, providers, toolsets } }: Manifest): readonly string[] {
  return [
    ...platforms.map(({ id }) => `platform ${code(id)}`),
    ...providers.map(({ id, defaultModel }) => `provider ${code(id)}${defaultModel ? ` (${defaultModel})` : ''}`),
    ...toolsets.map(({ tools }) => `tools ${tools.map(({ name }) => code(name)).join(', ')}`),
  ]
}

/** Settings under `platforms.<id>.extra` or `plugins.entries.<id>.config`. */
function describeSettings({ id, configSchema, contributes }: Manifest): readonly string[] {
  const places = [
    ...contributes.platforms.map((spec) => ({ at: `platforms.${spec.id}.extra`, schema: spec.configSchema })),
    ...contributes.toolsets.map((spec) => ({ at: `plugins.entries.${id}.config`, schema: spec.configSchema })),
    ...contributes.hooks.map((spec) => ({ at: `plugins.entries.${id}.config`, schema: spec.configSchema })),
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
    return [`## \`${at}\``, formatTable(['key', 'values', 'default'], rows)]
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
