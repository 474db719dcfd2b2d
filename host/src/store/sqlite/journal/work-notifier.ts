import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'

export interface WorkNotifier {
  notify(work: 'inbox' | 'outbox'): void
  listen(listener: (work: 'inbox' | 'outbox') => void): () => void
}

/** Tells the pumps of this process that there is work; a listener that throws does not harm who made it. */
export function createWorkNotifier(log: Log): WorkNotifier {
  const listeners = new Set<(work: 'inbox' | 'outbox') => void>()
  return {
    notify(work) {
      for (const listener of listeners) {
        try {
          listener(work)
        } catch (error) {
          log.error('A listener for new work failed.', { work, error: detailOf(error) })
        }
      }
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
