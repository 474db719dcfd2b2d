import type { Clock } from '@agent/plugin-sdk'
import { keepAliveLine } from '../answer/outbound.ts'
import type { KeepAlive } from '../door/keep-alive.ts'

const keptEvents = 256
/** Characters of all events together: results of tools may be long. */
const keptWeight = 2_000_000
/** A text that nobody reads grows no longer than this within one event. */
const longestEvent = 65_536
const growing = new Set(['message.delta', 'reasoning.delta'])

/** The events of one run, for readers that come, leave and come back. */
export interface RunLog {
  push(name: string, data: Readonly<Record<string, unknown>>): void
  /** Nothing follows. */
  end(): void
  /** Gives up all but the last event. */
  forget(): void
  /** Characters of what it holds. */
  readonly weight: number
  /** SSE lines of what came after an event, until the end; a run waits for no reader. */
  read(after: number, signal: AbortSignal): AsyncIterable<string>
}

interface Entry {
  readonly id: number
  readonly name: string
  data: Readonly<Record<string, unknown>>
  weight: number
  seen: boolean
}

/** The newest events, within both limits. */
function createEntries() {
  let entries: Entry[] = []
  let weight = 0
  let lastId = 0

  /** Text that nobody has read yet is one event: who reads slowly misses nothing. */
  function grow(name: string, { text, ...rest }: Readonly<Record<string, unknown>>): boolean {
    const last = entries.at(-1)
    if (!growing.has(name) || last?.name !== name || last.seen || last.weight > longestEvent) return false
    last.data = { ...rest, text: `${last.data.text}${text}` }
    last.weight += String(text).length
    weight += String(text).length
    return true
  }

  return {
    push(name: string, data: Readonly<Record<string, unknown>>): void {
      if (!grow(name, data)) {
        const entry = { id: ++lastId, name, data, weight: JSON.stringify(data).length, seen: false }
        entries.push(entry)
        weight += entry.weight
      }
      while (entries.length > keptEvents || (weight > keptWeight && entries.length > 1)) weight -= entries.shift()?.weight ?? 0
    },
    get weight() {
      return weight
    },
    after: (cursor: number): readonly Entry[] => entries.filter(({ id }) => id > cursor),
    forget(): void {
      entries = entries.slice(-1)
      weight = entries[0]?.weight ?? 0
    },
  }
}

export function createRunLog({ clock, keepAlive }: { readonly clock: Clock; readonly keepAlive: KeepAlive }): RunLog {
  const entries = createEntries()
  let ended = false
  const readers = new Set<() => void>()
  const wake = (): void => {
    for (const reader of readers) reader()
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
        const due = entries.after(cursor)
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
      entries.push(name, data)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    forget: entries.forget,
    get weight() {
      return entries.weight
    },
    read,
  }
}

function formatEntry(entry: Entry): string {
  entry.seen = true
  return `id: ${entry.id}\nevent: ${entry.name}\ndata: ${JSON.stringify(entry.data)}\n\n`
}
