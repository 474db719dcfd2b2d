import { Script } from 'node:vm'
import type { Clock } from '@agent/plugin-sdk'
import type { JsonSchema, SchemaCheck } from './schema-check.ts'

/** Longest time that a check may hold everybody else back, in milliseconds. */
const limitMs = 60

/** Checks a value against a schema that somebody else wrote. */
export type CheckForeign = (schema: JsonSchema, value: unknown) => Promise<SchemaCheck>

/**
 * A pattern can keep a check busy for ever, and nothing else would interrupt it: so it runs where the engine ends it. Checks come one after the
 * other, and others have as much time after each as it took.
 */
export function createForeignCheck({ now, sleep }: Clock): CheckForeign {
  let last: Promise<unknown> = Promise.resolve()
  return async (schema, value) => {
    const before = last
    let rest = (): void => undefined
    last = new Promise<void>((resolve) => {
      rest = resolve
    })
    await before
    const from = now()
    try {
      const found = await check(schema, value)
      if (found) return found
      // It was late, but the machine may have been busy with something else: once more, when others had their time.
      await sleep(now() - from)
      return (await check(schema, value)) ?? late
    } finally {
      void sleep(now() - from).then(rest)
    }
  }
}

const late: SchemaCheck = { ok: false, path: '', problem: `cannot be checked: it takes more than ${limitMs} ms` }

/** Undefined where it takes too long. */
async function check(schema: JsonSchema, value: unknown): Promise<SchemaCheck | undefined> {
  const { compileSchema } = await import('./compile-schema.ts')
  try {
    return new Script('check()').runInNewContext({ check: () => compileSchema(schema)(value) }, { timeout: limitMs }) as SchemaCheck
  } catch (error) {
    if (isTimeout(error)) return undefined
    if (error instanceof RangeError) return { ok: false, path: '', problem: 'cannot be checked: it is nested too deep' }
    throw error
  }
}

const isTimeout = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
