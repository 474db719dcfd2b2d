import { isSecretKey } from '#config/environment/secret-keys.ts'
import { variables } from '#config/environment/variables.ts'
import { configJsonSchema } from '#config/schema/config-json-schema.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { isTree } from '#config/schema/merge.ts'
import { findPlatformKey } from '#config/schema/platform-keys.ts'
import { code, formatPage, formatTable, type Page } from './markdown.ts'
import { effectOfKey } from './without-effect.ts'

type Schema = Readonly<Record<string, unknown>>

interface Row {
  readonly key: string
  readonly schema: Schema
}

/** Every key of config.yaml. */
export function describeConfiguration(): Page {
  const rows = listKeys(configJsonSchema, '').map(({ key, schema }) => [
    code(key),
    describeValues(schema),
    describeDefault(key),
    code(variableOf(key)),
    [isSecretKey(key) ? 'secret: belongs in `.env`' : '', effectOfKey(key)].filter(Boolean).join('; '),
  ])
  return formatPage('configuration', 'Configuration keys', [
    'Keys of `config.yaml`. `<id>` stands for a name that you choose or that a plugin brings. A variable beats the key beside it.',
    formatTable(['key', 'values', 'default', 'variable', 'note'], rows),
    'Settings of a platform (`platforms.<id>.extra`) and of a plugin (`plugins.entries.<id>.config`) stand in the `REFERENCE.md` of its folder.',
  ])
}

function listKeys(schema: Schema, key: string): readonly Row[] {
  const below = (name: string, value: unknown): readonly Row[] =>
    isTree(value) ? listKeys(value, key === '' ? name : `${key}.${name}`) : []
  if (isTree(schema.properties)) return Object.entries(schema.properties).flatMap(([name, value]) => below(name, value))
  const { additionalProperties: more } = schema
  return isTree(more) && Object.keys(more).length > 0 ? below('<id>', more) : [{ key, schema }]
}

function variableOf(key: string): string {
  const name = key.startsWith('platforms.<id>.') ? findPlatformKey(key.slice('platforms.<id>.'.length))?.suffixes[0] : undefined
  return name === undefined ? (variables.find((variable) => variable.key === key)?.name ?? '') : `<PLATFORM>_${name}`
}

function describeValues(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => (value === '' ? 'empty' : code(String(value)))).join(', ')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(describeValues).join(' or ')
  if (schema.type === 'array') return isTree(schema.items) ? `list of ${describeValues(schema.items)}` : 'list'
  if (schema.type === 'string') return 'text'
  if (schema.type === 'boolean') return '`true`, `false`'
  if (schema.type === 'object') return 'map'
  return `${schema.type === 'integer' ? 'whole number' : 'number'}${describeBounds(schema)}`
}

function describeBounds({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const isBound = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
  const lower = isBound(minimum) ? ` from ${minimum}` : isBound(exclusiveMinimum) ? ` above ${exclusiveMinimum}` : ''
  return `${lower}${isBound(maximum) ? ` to ${maximum}` : ''}`
}

function describeDefault(key: string): string {
  let value: unknown = defaultConfig
  for (const part of key.split('.')) value = isTree(value) ? value[part] : undefined
  return value === undefined || value === '' ? '' : code(JSON.stringify(value))
}
