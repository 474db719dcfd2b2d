import type { HttpReply } from '@agent/plugin-sdk'

/** Everybody who listens to events. */
export interface EventStreams {
  /** One more listens, and gets these first. */
  open(missed: readonly string[]): HttpReply
  count(): number
  write(text: string): void
  /** Says nothing to anybody any more. */
  deafen(): void
  /** Speaks again. */
  calm(): void
  /** Ends every stream. */
  end(): void
}

interface Listener {
  readonly waiting: string[]
  ended: boolean
  wake(): void
}

export function openEventStreams(): EventStreams {
  const listeners = new Set<Listener>()
  let deaf = false
  const each = (act: (listener: Listener) => void): void => {
    for (const listener of listeners) {
      act(listener)
      listener.wake()
    }
  }
  return {
    open: (missed) => {
      const listener: Listener = { waiting: [':\n', ...missed], ended: false, wake: () => undefined }
      listeners.add(listener)
      return { status: 200, headers: { 'Content-Type': 'text/event-stream;charset=UTF-8' }, body: follow(listener) }
    },
    count: () => listeners.size,
    write: (text) => {
      if (!deaf) each(({ waiting }) => waiting.push(text))
    },
    deafen: () => {
      deaf = true
    },
    calm: () => {
      deaf = false
    },
    end: () =>
      each((listener) => {
        listener.ended = true
      }),
  }
}

async function* follow(listener: Listener): AsyncGenerator<string> {
  while (!listener.ended) {
    yield* listener.waiting.splice(0)
    if (listener.waiting.length > 0 || listener.ended) continue
    await new Promise<void>((resolve) => {
      listener.wake = resolve
    })
  }
}
