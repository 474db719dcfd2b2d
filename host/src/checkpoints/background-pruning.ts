import type { Clock, Log } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { isPruneDue, type PruneRules, pruneFolder, pruneStore } from './prune.ts'
import { limits } from './store/limits.ts'
import type { CheckpointStore, FolderStore } from './store/open-store.ts'

export interface BackgroundPruning {
  /** After a turn: keeps the checkpoints of its folder few, and looks through the whole store where that is due. */
  tidy(folder: FolderStore): void
  /** Waits for what is quick, and cuts off what is not. */
  close(): Promise<void>
}

export interface BackgroundOptions {
  readonly store: CheckpointStore
  readonly rules: () => PruneRules
  readonly clock: Clock
  readonly log: Log
}

/** So long an end of the program waits for packing; the next day goes on with it. */
const patienceMs = 5_000

/** Pruning never runs in a tool call: one piece of work at a time, between turns. */
export function createBackgroundPruning({ store, rules, clock, log }: BackgroundOptions): BackgroundPruning {
  const controller = new AbortController()
  let last: Promise<void> = Promise.resolve()
  /** Folders whose turn has not come: what it will do is good for all turns until then. */
  const waiting = new Set<string>()
  const work = async (folder: FolderStore): Promise<void> => {
    try {
      await withTimeLimit({ clock, signal: controller.signal, ms: limits.rollbackMs, what: 'Pruning', graceMs: 1000 }, async (signal) => {
        await pruneFolder(folder, rules(), signal)
        if (await isPruneDue(store, rules(), signal)) await pruneStore(store, rules(), signal)
      })
    } catch (error) {
      if (!controller.signal.aborted) log.warn('checkpoints were not pruned', { problem: detailOf(error) })
    }
  }
  return {
    tidy: (folder) => {
      if (waiting.has(folder.id)) return
      waiting.add(folder.id)
      last = last.then(async () => {
        waiting.delete(folder.id)
        if (!controller.signal.aborted) await work(folder)
      })
    },
    close: async () => {
      const slow = new AbortController()
      await Promise.race([last, clock.sleep(patienceMs, slow.signal).catch(() => undefined)])
      slow.abort()
      controller.abort()
      await last
    },
  }
}
