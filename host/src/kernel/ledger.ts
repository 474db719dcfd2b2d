import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { systemClock } from './clock.ts'

export type Disposer = () => void | Promise<void>

/** Everything that a plugin has set up, so that it can be undone. */
export interface Ledger {
  readonly owner: string
  /** Fires when the undoing starts. */
  readonly signal: AbortSignal
  /** How much is still to be undone; 0 after a clean end. */
  readonly size: number
  add(disposer: Disposer, label?: string): void
  /** Undoes all in reverse order; never rejects. What failed or hung is in the log and in the answer. */
  dispose(): Promise<readonly Leak[]>
}

/** Something that could not be undone. */
export interface Leak {
  readonly label: string
  readonly problem: string
}

export interface LedgerOptions {
  /** Longest wait for one disposer. */
  readonly disposeMs?: number
  readonly clock?: Clock
}

interface Entry {
  readonly label: string
  readonly disposer: Disposer
}

export function openLedger(owner: string, log: Log, { disposeMs: ms = 5_000, clock = systemClock }: LedgerOptions = {}): Ledger {
  const entries: Entry[] = []
  const controller = new AbortController()
  let disposal: Promise<readonly Leak[]> | undefined

  async function undo({ label, disposer }: Entry): Promise<Leak[]> {
    try {
      await withTimeLimit({ clock, ms, what: 'It' }, async () => disposer())
      return []
    } catch (error) {
      const problem = detailOf(error)
      log.warn(`${owner} did not clean up ${label}`, { plugin: owner, problem })
      return [{ label, problem }]
    }
  }

  async function disposeAll(): Promise<readonly Leak[]> {
    controller.abort(fail('PLUGIN_INACTIVE', { plugin: owner }))
    const leaks: Leak[] = []
    // A disposer may add another one: the loop ends when nothing is left.
    for (let entry = entries.pop(); entry; entry = entries.pop()) leaks.push(...(await undo(entry)))
    return leaks
  }

  return {
    owner,
    signal: controller.signal,
    get size() {
      return entries.length
    },
    add(disposer, label = `effect ${entries.length + 1}`) {
      const entry = { label, disposer }
      if (!controller.signal.aborted) return void entries.push(entry)
      // Set up too late: it is undone at once, and its caller gets an error.
      void undo(entry)
      throw fail('PLUGIN_INACTIVE', { plugin: owner })
    },
    dispose: () => (disposal ??= disposeAll()),
  }
}
