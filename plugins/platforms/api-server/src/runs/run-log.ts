import type { Clock } from '@agent/plugin-sdk'
import { keepAliveLine } from '../answer/outbound.ts'
import type { KeepAlive } from '../door/keep-alive.ts'

const keptEvents = 256
const growing = new Set(['message.delta', 'reasoning.delta'])

/** The events of one run, for readers that come, leave and come back. */
export interface RunLog {
  push(name: string, data: Readonly<Record<string, unknown>>): void
  /** Nothing follows. */
  end(): void
  /** Gives up all but the last event. */
  forget(): void
  /** SSE lines of what came after an event, until the end; a run waits for no reader. */
  read(after: number, signal: AbortSignal): AsyncIterable<string>
}

interface Entry {
  readonly id: number
  readonly name: string
  data: Readonly<Record<string, unknown>>
  seen: boolean
}

export function createRunLog({ clock, keepAlive }: { readonly clock: Clock; readonly keepAlive: KeepAlive }): RunLog {
  let entries: Entry[] = []
  let lastId = 0
  let ended = false
  const readers = new Set<() => void>()
  const wake = (): void => {
    for (const reader of readers) reader()
  }

  /** Text that nobody has read yet is one event: who reads slowly misses nothing. */
  function grow(name: string, { delta, ...rest }: Readonly<Record<string, unknown>>): boolean {
    const last = entries.at(-1)
    if (!growing.has(name) || last?.name !== name || last.seen) return false
    last.data = { ...rest, delta: `${last.data.delta}${delta}` }
    return true
  }

  async function* read(after: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    let cursor = after
    let mustSayAlive = false
    let proceed = (): void => {}
    const onEvent = (): void => proceed()
    const quiet = {
      lastWrite: clock.now(),
      sayAlive() {
        mustSayAlive = true
        proceed()
      },
    }
    const unwatch = keepAlive.watch(quiet)
    readers.add(onEvent)
    signal.addEventListener('abort', onEvent)
    try {
      while (!signal.aborted) {
        const due = entries.filter(({ id }) => id > cursor)
        if (due.length === 0 && ended) return
        if (due.length === 0 && !mustSayAlive) {
          await new Promise<void>((resolve) => {
            proceed = resolve
          })
          continue
        }
        mustSayAlive = false
        cursor = due.at(-1)?.id ?? cursor
        quiet.lastWrite = clock.now()
        yield due.map(formatEntry).join('') || keepAliveLine
      }
    } finally {
      unwatch()
      readers.delete(onEvent)
      signal.removeEventListener('abort', onEvent)
    }
  }

  return {
    push(name, data) {
      if (!grow(name, data)) entries.push({ id: ++lastId, name, data, seen: false })
      if (entries.length > keptEvents) entries.shift()
      wake()
    },
    end() {
      ended = true
      wake()
    },
    forget() {
      entries = entries.slice(-1)
    },
    read,
  }
}

function formatEntry(entry: Entry): string {
  entry.seen = true
  return `id: ${entry.id}\nevent: ${entry.name}\ndata: ${JSON.stringify(entry.data)}\n\n`
}
