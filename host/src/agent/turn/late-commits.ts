import type { Clock, Log } from '@agent/plugin-sdk'
import type { Sessions, TurnRows } from '#store/sessions.ts'

/** Writes turns down a moment after they were answered, many in one go. */
export interface LateCommits {
  /** Resolves when the rows are on disk or given up; nobody has to wait for it. */
  add(rows: TurnRows): Promise<void>
  /** Resolves when everything that was added is on disk. */
  close(): Promise<void>
}

/** How long rows gather, in milliseconds. */
const gatherMs = 20

/**
 * For turns whose caller keeps the conversation itself: their answers do not wait for the disk, and a busy server flushes it for many at once.
 * What cannot be written is in the log.
 */
export function createLateCommits(sessions: Pick<Sessions, 'commit'>, clock: Clock, log: Log): LateCommits {
  const closing = new AbortController()
  let gathered: { readonly rows: TurnRows; readonly done: () => void }[] = []
  let writing: Promise<void> | undefined

  const store = (rows: TurnRows): Promise<void> =>
    sessions.commit(rows).catch((error: unknown) => log.error('a turn could not be stored', { error: String(error) }))
  const write = async (): Promise<void> => {
    while (gathered.length > 0) {
      await clock.sleep(gatherMs, closing.signal).catch(() => undefined)
      const batch = gathered
      gathered = []
      await Promise.all(batch.map(({ rows, done }) => store(rows).finally(done)))
    }
    writing = undefined
  }
  return {
    add: (rows) =>
      new Promise((resolve) => {
        gathered.push({ rows, done: resolve })
        writing ??= write()
      }),
    close: async () => {
      closing.abort()
      await writing
    },
  }
}
