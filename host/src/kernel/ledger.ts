import type { Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

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
}

interface Entry {
  readonly label: string
  readonly disposer: Disposer
}

export function openLedger(owner: string, log: Log, { disposeMs = 5_000 }: LedgerOptions = {}): Ledger {
  const entries: Entry[] = []
  const controller = new AbortController()
  let disposal: Promise<readonly Leak[]> | undefined

  async function undo(entry: Entry): Promise<Leak[]> {
    const problem = await settle(entry.disposer, disposeMs)
    if (problem === undefined) return []
    log.warn(`${owner} did not clean up ${entry.label}`, { plugin: owner, problem })
    return [{ label: entry.label, problem }]
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
      // Set up too late: it is undone at once, and whoever did it is told.
      void undo(entry)
      throw fail('PLUGIN_INACTIVE', { plugin: owner })
    },
    dispose: () => (disposal ??= disposeAll()),
  }
}

async function settle(disposer: Disposer, limitMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no end within ${limitMs} ms`), limitMs)
  })
  try {
    return await Promise.race([Promise.resolve(disposer()).then(() => undefined), limit])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}
