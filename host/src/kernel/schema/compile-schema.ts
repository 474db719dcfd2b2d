import { detailOf } from '@agent/plugin-sdk/errors'
import * as z from 'zod'
import { describeIssue } from './describe-issue.ts'
import type { JsonSchema, SchemaCheck } from './schema-check.ts'
import { typedSchema } from './typed-schema.ts'

// A memo, not state: what it holds follows from its key alone.
const compiled = new WeakMap<JsonSchema, (value: unknown) => SchemaCheck>()

/** The check of a JSON Schema: it fills in defaults and names the first problem. Compiled once per schema object. */
export function compileSchema(schema: JsonSchema): (value: unknown) => SchemaCheck {
  const known = compiled.get(schema)
  if (known) return known
  const check = compile(schema)
  compiled.set(schema, check)
  return check
}

function compile(schema: JsonSchema): (value: unknown) => SchemaCheck {
  let parser: z.ZodType
  try {
    // Only the older draft knows `definitions`.
    const { $schema, ...older } = schema
    const isOlder = Object.hasOwn(schema, 'definitions')
    const read = fillDefaults(typedSchema(isOlder ? older : schema)) as Parameters<typeof z.fromJSONSchema>[0]
    parser = z.fromJSONSchema(read, isOlder ? { defaultTarget: 'draft-7' } : {})
  } catch (error) {
    const problem = `cannot be checked: the schema is not understood (${detailOf(error)})`
    return () => ({ ok: false, path: '', problem })
  }
  return (value) => {
    const result = parser.safeParse(value, { reportInput: true })
    if (result.success) return { ok: true, value: result.data }
    return { ok: false, ...describeIssue(result.error.issues) }
  }
}

/** A default that is itself an object gets the defaults of its properties: JSON Schema leaves that to the reader. */
function fillDefaults(schema: JsonSchema): JsonSchema {
  const filled: Record<string, unknown> = { ...schema }
  if (isRecord(schema.properties)) {
    filled.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, isRecord(inner) ? fillDefaults(inner) : inner]),
    )
  }
  if (isRecord(schema.items)) filled.items = fillDefaults(schema.items)
  if (!isRecord(schema.default)) return filled
  const { default: own, ...rest } = filled
  const checked = compile(rest)(own)
  return checked.ok ? { ...rest, default: checked.value } : filled
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
