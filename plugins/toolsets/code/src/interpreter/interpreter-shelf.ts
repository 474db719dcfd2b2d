import type { Clock } from '@agent/plugin-sdk'
import type { Interpreter } from './interpreter.ts'

export interface ShelfOptions {
  readonly clock: Clock
  /** So many interpreters are kept. */
  readonly most: number
  /** One that nobody used for so long ends. */
  readonly idleMs: number
}

/** An interpreter that is kept. */
export interface Kept {
  readonly key: string
  /** How it was started. */
  readonly start: string
  readonly interpreter: Interpreter
  isBusy: boolean
  usedAt: number
}

/** The interpreters that are there. It ends those that are too many, and those that nobody uses. */
export interface Shelf {
  find(key: string): Kept | undefined
  add(each: Kept): void
  /** It was taken, or given back. */
  changed(each: Kept): void
  /** Ends one; why is told to whom it belonged. */
  remove(each: Kept, reason: string): void
  /** Ends those that were used the longest ago and are idle, until there is room for so many more. */
  makeRoom(room: number): void
  close(): Promise<void>
}

export function createShelf({ clock, most, idleMs }: ShelfOptions, onRemoved: (key: string, reason: string) => void): Shelf {
  /** The one that was used the longest ago comes first. */
  const kept = new Map<string, Kept>()
  let timer: AbortController | undefined

  const idle = (): readonly Kept[] => [...kept.values()].filter(({ isBusy }) => !isBusy)

  function remove(each: Kept, reason: string): void {
    if (kept.get(each.key) !== each) return
    kept.delete(each.key)
    onRemoved(each.key, reason)
    each.interpreter.kill()
  }

  function endIdle(): void {
    const reason = `nobody used it for ${idleMs / 1000} seconds (code_execution.kernel_idle_timeout)`
    for (const each of idle()) if (each.usedAt + idleMs <= clock.now()) remove(each, reason)
    arm()
  }

  /** One timer, for the first that will have been idle for too long. */
  function arm(): void {
    timer?.abort()
    timer = undefined
    const [first] = idle()
    if (!first) return
    timer = new AbortController()
    clock.sleep(Math.max(0, first.usedAt + idleMs - clock.now()), timer.signal).then(endIdle, () => undefined)
  }

  return {
    find: (key) => kept.get(key),
    add: (each) => void kept.set(each.key, each),
    changed(each) {
      if (kept.get(each.key) === each) {
        kept.delete(each.key)
        kept.set(each.key, each)
      }
      arm()
    },
    remove,
    makeRoom(room) {
      const surplus = Math.max(0, kept.size + room - most)
      for (const each of idle().slice(0, surplus)) remove(each, 'it made room for a newer one (code_execution.max_session_kernels)')
    },
    async close() {
      timer?.abort()
      const all = [...kept.values()]
      kept.clear()
      for (const { interpreter } of all) interpreter.kill()
      await Promise.allSettled(all.map(({ interpreter }) => interpreter.ended))
    },
  }
}
