import { Script } from 'node:vm'
import type { JsonSchema, SchemaCheck } from './schema-check.ts'

/** Longest time that a check may hold everybody else back, in milliseconds. */
const limitMs = 200

/**
 * Checks a value against a schema that somebody else wrote. A pattern can keep a check busy for ever, and nothing else would interrupt it: so
 * it runs where the engine ends it.
 */
export async function checkForeign(schema: JsonSchema, value: unknown): Promise<SchemaCheck> {
  const { compileSchema } = await import('./compile-schema.ts')
  try {
    return new Script('check()').runInNewContext({ check: () => compileSchema(schema)(value) }, { timeout: limitMs }) as SchemaCheck
  } catch (error) {
    if (isTimeout(error)) return { ok: false, path: '', problem: `cannot be checked: it takes more than ${limitMs} ms` }
    if (error instanceof RangeError) return { ok: false, path: '', problem: 'cannot be checked: it is nested too deep' }
    throw error
  }
}

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
