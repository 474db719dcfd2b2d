import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import { openStore } from '../sqlite/open.ts'
import type { Store, StoreOptions } from '../store.ts'

/** A clock that stands still until it is set. */
export interface SetClock extends Clock {
  time: number
}

export interface TemporaryStore extends AsyncDisposable {
  readonly folder: string
  readonly file: string
  readonly clock: SetClock
  /** What was warned about. */
  readonly warnings: readonly string[]
  /** Opens the file once more, as another process would; closed with the rest. */
  open(change?: Partial<StoreOptions>): Promise<Store>
}

/** A store in a separate folder that goes away with it. */
export async function createTemporaryStore(): Promise<TemporaryStore> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-store-'))
  const file = join(folder, 'state.db')
  const clock: SetClock = {
    time: 1_700_000_000_000,
    now: () => clock.time,
    sleep: async () => {
      clock.time += 50
    },
  }
  const warnings: string[] = []
  const log: Log = { debug: () => {}, info: () => {}, warn: (text) => warnings.push(text), error: (text) => warnings.push(text) }
  const opened: Store[] = []
  return {
    folder,
    file,
    clock,
    warnings,
    async open(change) {
      const store = await openStore({ file, durability: 'process', clock, log, ...change })
      opened.push(store)
      return store
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
