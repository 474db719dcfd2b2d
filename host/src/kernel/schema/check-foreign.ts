import { Script } from 'node:vm'
import type { Clock } from '@agent/plugin-sdk'
import type { JsonSchema, SchemaCheck } from './schema-check.ts'

/** Time of the processor that a check may take, in milliseconds. */
const limitMs = 60
/** Longest time that one attempt may hold everybody else back on a busy machine. */
const longestMs = 4 * limitMs
const mostAttempts = 6

/** Checks a value against a schema that somebody else wrote. */
export type CheckForeign = (schema: JsonSchema, value: unknown) => Promise<SchemaCheck>

export interface ForeignCheckOptions extends Clock {
  /** Time of the processor that this program has had, in milliseconds. */
  readonly processorTime?: () => number
}

/**
 * A pattern can keep a check busy for ever, and nothing else would interrupt it: so it runs where the engine ends it. Checks come one after the
 * other, and others have as much time after each as it took.
 */
export function createForeignCheck({ now, sleep, processorTime = ownProcessorTime }: ForeignCheckOptions): CheckForeign {
  let last: Promise<unknown> = Promise.resolve()
  return async (schema, value) => {
    const before = last
    let rest = (): void => undefined
    last = new Promise<void>((resolve) => {
      rest = resolve
    })
    await before
    let from = now()
    let limit = limitMs
    try {
      for (let attempt = 1; ; attempt++) {
        const had = processorTime()
        const found = await check(schema, value, limit)
        if (found) return found
        const spent = processorTime() - had
        // The engine counts the clock. An attempt that had little of the processor says nothing of the schema, and comes again when others had their time.
        const isKnown = spent >= limitMs * 0.75 && attempt > 1
        if (isKnown || attempt >= mostAttempts) return late
        await sleep(now() - from)
        from = now()
        limit = Math.min(longestMs, Math.ceil((limit * limitMs) / Math.max(1, Math.min(spent, limitMs))))
      }
    } finally {
      void sleep(now() - from).then(rest)
    }
  }
}

const late: SchemaCheck = { ok: false, path: '', problem: `cannot be checked: it takes more than ${limitMs} ms` }

/** Undefined where it takes too long. */
async function check(schema: JsonSchema, value: unknown, limit: number): Promise<SchemaCheck | undefined> {
  const { compileSchema } = await import('./compile-schema.ts')
  try {
    return new Script('check()').runInNewContext({ check: () => compileSchema(schema)(value) }, { timeout: limit }) as SchemaCheck
  } catch (error) {
    if (isTimeout(error)) return undefined
    if (error instanceof RangeError) return { ok: false, path: '', problem: 'cannot be checked: it is nested too deep' }
    throw error
  }
}

const isTimeout = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

function ownProcessorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
