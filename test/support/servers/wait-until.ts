import { setTimeout as pause } from 'node:timers/promises'

/** Looks again and again, because nothing tells; throws when it takes too long. */
export async function waitUntil(what: string | (() => readonly string[]), withinMs: number, look: () => boolean): Promise<void> {
  const end = performance.now() + withinMs
  while (!look()) {
    if (performance.now() > end) {
      throw new Error(`It took more than ${withinMs} ms until ${typeof what === 'string' ? what : what().join(', and ')}.`)
    }
    await pause(10)
  }
}
