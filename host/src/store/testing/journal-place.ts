import type { Journal } from '../journal.ts'
import type { Store } from '../store.ts'
import type { WorkerTask } from './journal-worker.ts'
import type { SetClock } from './temporary-store.ts'

export type Check = (title: string, run: (journal: Journal, place: JournalPlace, store: Store) => Promise<void>) => void

/** What the contract needs of a store: a separate place that can be opened again and again, as by several processes. */
export interface JournalPlace extends AsyncDisposable {
  readonly clock: SetClock
  readonly folder: string
  open(): Promise<Store>
}

/** The same, where others may work on it and be killed. */
export interface SharedPlace extends JournalPlace {
  /** Runs `runJournalWorker` on the same store in a separate process, to its end or its death. */
  work(task: WorkerTask): Promise<'idle' | 'killed'>
}
