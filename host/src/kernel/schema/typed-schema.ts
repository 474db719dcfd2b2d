import type { JsonSchema } from './schema-check.ts'

/** Keywords that speak of one type only. */
const types: Readonly<Record<string, string>> = {
  properties: 'object',
  required: 'object',
  patternProperties: 'object',
  additionalProperties: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  pattern: 'string',
  minLength: 'string',
  maxLength: 'string',
  minimum: 'number',
  maximum: 'number',
}

const one = ['items', 'additionalProperties', 'not']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const maps = ['properties', 'patternProperties', '$defs', 'definitions']

/** Many authors leave out `type` where a keyword says it, and mean it all the same; read by the letter, such a schema would let everything pass. */
export function typedSchema(schema: JsonSchema): JsonSchema {
  const typed: Record<string, unknown> = { ...schema }
  for (const name of one) if (isRecord(schema[name])) typed[name] = typedSchema(schema[name])
  for (const name of lists) {
    const list: unknown = schema[name]
    if (Array.isArray(list)) typed[name] = list.map(typedPart)
  }
  for (const name of maps) {
    const map = schema[name]
    if (isRecord(map)) typed[name] = Object.fromEntries(Object.entries(map).map(([key, part]) => [key, typedPart(part)]))
  }
  const keyword = Object.keys(types).find((name) => Object.hasOwn(schema, name))
  if (keyword && !['type', 'enum', 'const', '$ref'].some((name) => Object.hasOwn(schema, name))) typed.type = types[keyword]
  // As OpenAPI has it.
  if (schema.nullable === true && typeof typed.type === 'string') typed.type = [typed.type, 'null']
  return typed
}

const typedPart = (part: unknown): unknown => (isRecord(part) ? typedSchema(part) : part)

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
