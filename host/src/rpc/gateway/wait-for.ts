import { systemClock } from '#kernel/clock.ts'
import type { HomeContext } from '../home-context.ts'

const lookEveryMs = 50

/** Looks until `look` finds something; null ends the wait at once. Says that it waits when it takes longer than a second. */
export async function waitFor<T>(
  context: Pick<HomeContext, 'note' | 'signal'>,
  withinMs: number,
  look: () => T | null | undefined | Promise<T | null | undefined>,
  saying = 'Waiting for the gateway …',
): Promise<T | undefined> {
  for (let waited = 0; waited < withinMs; waited += lookEveryMs) {
    const found = await look()
    if (found === null) return undefined
    if (found !== undefined) return found
    if (waited === 1000) context.note(saying)
    await systemClock.sleep(lookEveryMs, context.signal)
  }
  return undefined
}
