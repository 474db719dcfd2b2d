import type { ToolSpec } from '@agent/plugin-sdk'

type Schema = ToolSpec['parameters']

/** Places whose values are no schemas. */
const values: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required'])
/** Places with schemas by name. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** A schema as the model is told it: how long a text may be is checked when the tool is called, and every request would carry it. */
export function leanSchema(schema: Schema): Schema {
  return leanOf(schema) as Schema
}

function leanOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanOf)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, part]): readonly (readonly [string, unknown])[] => {
    if (key === 'minLength' || key === 'maxLength') return []
    if (values.has(key)) return [[key, part]]
    return [[key, named.has(key) ? mapValues(part) : leanOf(part)]]
  })
  return Object.fromEntries(entries)
}

function mapValues(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, schema]) => [name, leanOf(schema)]))
}
