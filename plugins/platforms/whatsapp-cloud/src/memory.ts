import type { Button } from '@agent/plugin-sdk'

/** What is known of the last messages. It is lost with the process, and so is what depends on it: quotes, and when to show typing. */
export interface Memory {
  /** The person's last message in a conversation, below which typing is shown. */
  rememberMessage(conversation: string, id: string, text: string): void
  lastMessage(conversation: string): string | undefined
  text(id: string): string | undefined
  rememberButtons(id: string, buttons: readonly Button[]): void
  buttons(id: string): readonly Button[]
  /** Meta has said what became of the message with our key. */
  rememberStatus(key: string, id: string, failure: string | undefined): void
  /** Resolves when Meta has said so, or rejects with the reason of `signal`. */
  awaitStatus(key: string, signal: AbortSignal): Promise<{ readonly id: string; readonly failure: string | undefined }>
}

const most = 1000

/** A map that forgets what was put in first. */
function createRing<T>(): Pick<Map<string, T>, 'get'> & { put(key: string, value: T): void } {
  const map = new Map<string, T>()
  return {
    get: (key) => map.get(key),
    put: (key, value) => {
      map.delete(key)
      map.set(key, value)
      const [oldest] = map.keys()
      if (map.size > most && oldest !== undefined) map.delete(oldest)
    },
  }
}

export function createMemory(): Memory {
  const texts = createRing<string>()
  const lasts = createRing<string>()
  const questions = createRing<readonly Button[]>()
  const statuses = createRing<{ readonly id: string; readonly failure: string | undefined }>()
  const waiting = new Set<() => void>()
  return {
    rememberMessage: (conversation, id, text) => {
      texts.put(id, text)
      lasts.put(conversation, id)
    },
    lastMessage: lasts.get,
    text: texts.get,
    rememberButtons: questions.put,
    buttons: (id) => questions.get(id) ?? [],
    rememberStatus: (key, id, failure) => {
      statuses.put(key, { id, failure })
      for (const look of [...waiting]) look()
    },
    awaitStatus: (key, signal) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const known = statuses.get(key)
          if (!known && !signal.aborted) return
          waiting.delete(look)
          signal.removeEventListener('abort', look)
          if (known) resolve(known)
          else reject(signal.reason)
        }
        waiting.add(look)
        signal.addEventListener('abort', look, { once: true })
        look()
      }),
  }
}
