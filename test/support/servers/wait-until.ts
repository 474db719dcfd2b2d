import { setTimeout as pause } from 'node:timers/promises'

/** Looks again and again, because nothing tells; throws when it takes too long. */
export async function waitUntil(what: string | (() => readonly string[]), withinMs: number, look: () => boolean): Promise<void> {
  const end = performance.now() + withinMs
  for (;;) {
    const start = performance.now()
    if (look()) return
    const now = performance.now()
    if (now > end) {
      throw new Error(`It took more than ${withinMs} ms until ${typeof what === 'string' ? what : what().join(', and ')}.`)
    }
    // What is dear to look at is looked at less often: what is waited for needs the processor too.
    await pause(Math.max(10, Math.min(100, 4 * (now - start))))
  }
}
