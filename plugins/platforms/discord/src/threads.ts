import { type Api, unreachable } from './api.ts'
import { formatTitle } from './inbound.ts'
import type { Place } from './place.ts'

/** Threads that are opened when the bot first says something in them. */
export interface Threads {
  /** A message was handed in as the first of a thread that does not exist yet. */
  expect(thread: string, title: string): void
  /** The channel that takes what is said in a place: the parent where the thread is not there or cannot be. */
  channelOf(place: Place): string
  /** The same, after the thread was opened where it has to be. */
  open(place: Place, signal: AbortSignal): Promise<string>
  /** Opens a thread that Discord does not know any more; false where nothing can be done about it. */
  reopen(place: Place, signal: AbortSignal): Promise<boolean>
}

const mostKept = 1000
const alreadyThere = 160_004

export function createThreads(api: Pick<Api, 'ask'>): Threads {
  /** Titles of threads that are not there yet; empty for those that cannot be opened. */
  const missing = new Map<string, string>()
  const keep = (thread: string, title: string): void => {
    missing.set(thread, title)
    const [oldest = ''] = missing.keys()
    if (missing.size > mostKept) missing.delete(oldest)
  }
  const reopen: Threads['reopen'] = async ({ channel, parent }, signal) => {
    if (parent === undefined) return false
    const json = { name: formatTitle(missing.get(channel) ?? ''), auto_archive_duration: 1440 }
    const { ok, code, status, detail } = await api.ask('POST', `/channels/${parent}/messages/${channel}/threads`, signal, json)
    if (status === 429 || status >= 500) throw unreachable(detail)
    return ok || code === alreadyThere
  }
  const channelOf: Threads['channelOf'] = ({ channel, parent }) => (parent !== undefined && missing.has(channel) ? parent : channel)
  return {
    expect: keep,
    channelOf,
    reopen,
    open: async (place, signal) => {
      if (missing.get(place.channel)) {
        if (await reopen(place, signal)) missing.delete(place.channel)
        else keep(place.channel, '')
      }
      return channelOf(place)
    },
  }
}
