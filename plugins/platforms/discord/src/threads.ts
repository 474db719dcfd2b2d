import { type Api, refuse } from './api.ts'
import { formatTitle } from './inbound.ts'
import type { Place } from './place.ts'

/** Threads that are opened when the bot first says something in them. */
export interface Threads {
  /** A message was handed in as the first of a thread that does not exist yet. */
  expect(thread: string, title: string): void
  /** The channel in which something is to be said: the thread, opened now where it has to be, or its parent where none can be opened. */
  open(place: Place, signal: AbortSignal): Promise<string>
  /** The channel that takes what is said in a place, without opening anything. */
  channelOf(place: Place): string
  /** The same after Discord did not know the thread; undefined where nothing can be done about it. */
  reopen(place: Place, signal: AbortSignal): Promise<string | undefined>
}

const mostKept = 1000
const alreadyThere = 160_004
const dayMinutes = 1440

export function createThreads(api: Pick<Api, 'ask'>): Threads {
  /** Titles of threads that are not there yet. */
  const expected = new Map<string, string>()
  /** Threads that could not be opened. */
  const closed = new Set<string>()

  const create = async (parent: string, thread: string, signal: AbortSignal): Promise<boolean> => {
    const json = { name: formatTitle(expected.get(thread) ?? ''), auto_archive_duration: dayMinutes }
    const answer = await api.ask('POST', `/channels/${parent}/messages/${thread}/threads`, { signal, json })
    const exists = answer.ok || answer.code === alreadyThere
    if (!exists && (answer.status === 429 || answer.status >= 500)) throw refuse(answer)
    expected.delete(thread)
    return exists
  }
  return {
    expect: (thread, title) => {
      expected.set(thread, title)
      const [oldest] = expected.keys()
      if (expected.size > mostKept && oldest !== undefined) expected.delete(oldest)
    },
    channelOf: ({ channel, parent }) => (parent !== undefined && (closed.has(channel) || expected.has(channel)) ? parent : channel),
    open: async ({ channel, parent }, signal) => {
      if (parent === undefined) return channel
      if (closed.has(channel)) return parent
      if (!expected.has(channel)) return channel
      if (await create(parent, channel, signal)) return channel
      keep(closed, channel)
      return parent
    },
    reopen: async ({ channel, parent }, signal) => {
      if (parent === undefined || closed.has(channel)) return undefined
      return (await create(parent, channel, signal)) ? channel : undefined
    },
  }
}

function keep(set: Set<string>, item: string): void {
  set.add(item)
  const [oldest] = set
  if (set.size > mostKept && oldest !== undefined) set.delete(oldest)
}
