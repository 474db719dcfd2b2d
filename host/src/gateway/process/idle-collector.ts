import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '@agent/plugin-sdk'

/** How much has been done, and what is being done. */
export interface Activity {
  readonly running: number
  readonly finished: number
}

export interface IdleCollectorOptions {
  readonly activity: () => Activity
  readonly collect: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

const lookEveryMs = 2000

/**
 * Collects garbage once after each stretch of work. V8 puts it off until its heap is short of room, which after a busy hour is
 * 100 MiB of garbage that a waiting gateway would hold. The pause of some 30 ms falls where nobody waits.
 */
export async function collectWhenIdle({ activity, collect, clock, signal }: IdleCollectorOptions): Promise<void> {
  let collected = 0
  while (!signal.aborted) {
    const before = activity()
    await clock.sleep(lookEveryMs, signal).catch(() => undefined)
    const { running, finished } = activity()
    const idle = running === 0 && finished === before.finished
    if (!idle || finished === collected || signal.aborted) continue
    collected = finished
    collect()
  }
}

/** Left to itself V8 leaves half-empty pages as they are: what lived through a busy stretch would hold twice its size for ever. */
function collectTightly(collect: () => void): void {
  setFlagsFromString('--compact-on-every-full-gc')
  collect()
  setFlagsFromString('--no-compact-on-every-full-gc')
}

/**
 * Lets V8's nursery grow at its next step to the size that a gateway works with. By doubling alone it is collected nine times during a start, after
 * which V8 expects nearly everything to stay and marks the whole heap while the first turn is answered.
 */
export function growNursery(): void {
  setFlagsFromString('--semi-space-growth-factor=4')
}

/** The collector of this process. V8's nursery keeps the size it has by now: grown to its 48 MiB it would hardly be given back, and the pace is the same. */
export function createCollector(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  return typeof collect === 'function' ? () => collectTightly(() => void collect()) : () => undefined
}
