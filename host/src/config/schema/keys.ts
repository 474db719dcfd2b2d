import { nearestName } from '#kernel/nearest-name.ts'
import { configJsonSchema } from './config-json-schema.ts'
import { isTree } from './merge.ts'

export interface KnownKeys {
  /** Whether the dotted key is a setting, a section, or lies in an open section. */
  knows(path: readonly string[]): boolean
  /** Whether the words are a text for the key as they are. */
  takesText(path: readonly string[], text: string): boolean
  /** Whether the key is a setting of which this program knows no type: one of a plugin. */
  takesAnything(path: readonly string[]): boolean
  /** The key that was probably meant. */
  nearest(path: readonly string[]): string | undefined
  /** Every key that holds a value; `<id>` stands for a free name. */
  readonly all: readonly string[]
}

type Schema = Readonly<Record<string, unknown>>

/** Everything that can be asked about the names of config.yaml. */
export function openKeys(): KnownKeys {
  const root = configJsonSchema
  const all = [...leaves(root, [])]
  const knows = (path: readonly string[]): boolean => path.length > 0 && schemaAt(root, path) !== undefined
  return {
    knows,
    takesText(path, text) {
      const schema = schemaAt(root, path)
      const either = Array.isArray(schema?.anyOf) ? (schema.anyOf as readonly Schema[]) : []
      return schema?.type === 'string' || (!/^\s*\[/.test(text) && either.some(({ type }) => type === 'string'))
    },
    takesAnything: (path) => Object.keys(schemaAt(root, path) ?? { type: '' }).length === 0,
    nearest(path) {
      const known = longestKnown(path, knows)
      const section = [...path.slice(0, known)]
      const siblings = Object.keys(propertiesOf(schemaAt(root, section)) ?? {})
      const near = nearestName(path[known] ?? '', siblings)
      const suggestion = near === undefined ? undefined : [...section, near, ...path.slice(known + 1)]
      if (suggestion && knows(suggestion)) return suggestion.join('.')
      const last = path.at(-1)
      return all.find((key) => !key.includes('<id>') && key.split('.').at(-1) === last) ?? nearestName(path.join('.'), all)
    },
    all,
  }
}

function longestKnown(path: readonly string[], knows: (path: readonly string[]) => boolean): number {
  let length = 0
  while (length < path.length && knows(path.slice(0, length + 1))) length++
  return length
}

function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = root
  for (const segment of path) {
    if (!schema || segment === '' || segment === '__proto__') return undefined
    // An empty schema allows anything, at any depth.
    if (Object.keys(schema).length === 0) continue
    const properties: Schema | undefined = propertiesOf(schema)
    const property: unknown = properties && Object.hasOwn(properties, segment) ? properties[segment] : schema.additionalProperties
    schema = isTree(property) ? property : undefined
  }
  return schema
}

function propertiesOf(schema: Schema | undefined): Schema | undefined {
  return isTree(schema?.properties) ? schema.properties : undefined
}

function* leaves(schema: Schema, path: readonly string[]): Generator<string> {
  for (const [name, property] of Object.entries(propertiesOf(schema) ?? {})) {
    if (isTree(property)) yield* leaves(property, [...path, name])
  }
  if (propertiesOf(schema)) return
  if (isTree(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0) {
    yield* leaves(schema.additionalProperties, [...path, '<id>'])
  } else yield path.join('.')
}
