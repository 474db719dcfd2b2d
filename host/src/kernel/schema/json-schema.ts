import { compileQuickly, type QuickCheck, unsure } from './quick-schema.ts'
import type { JsonSchema, SchemaCheck } from './schema-check.ts'

// A memo, not state: what it holds follows from its key alone.
const compiled = new WeakMap<JsonSchema, QuickCheck>()

/** The value with defaults filled in, or `unsure`: then only `checkSchema` knows. */
export function fillQuickly(schema: JsonSchema, value: unknown): unknown {
  let check = compiled.get(schema)
  if (check === undefined) {
    check = compileQuickly(schema) ?? (() => unsure)
    compiled.set(schema, check)
  }
  return check(value)
}

/** Checks a value: it fills in defaults and names the first problem. zod is loaded only where something does not fit or is uncommon. */
export async function checkSchema(schema: JsonSchema, value: unknown): Promise<SchemaCheck> {
  const filled = fillQuickly(schema, value)
  if (filled !== unsure) return { ok: true, value: filled }
  const { compileSchema } = await import('./compile-schema.ts')
  return compileSchema(schema)(value)
}
