import { nearestName } from '#kernel/nearest-name.ts'
import type { KnownChannel } from './channel-directory.ts'

/**
 * `none`: `named` says that people call the conversations of this platform otherwise than its ids; `alike` are those whose id may have
 * been meant.
 */
export type FoundChannel =
  | { readonly type: 'one'; readonly channel: KnownChannel }
  | { readonly type: 'several'; readonly channels: readonly KnownChannel[] }
  | { readonly type: 'none'; readonly named: boolean; readonly nearest?: string; readonly alike: readonly KnownChannel[] }

const plain = (name: string): string => name.replace(/^#/, '').toLowerCase()

/**
 * What a person means by `#garden`, `garden`, `gar`, an id, or `garden:roses` for a thread. The id counts before names, a whole name
 * before the beginning of one.
 */
export function findChannel(known: readonly KnownChannel[], wanted: string): FoundChannel {
  const exact = known.find(({ id }) => id === wanted)
  if (exact) return { type: 'one', channel: exact }
  // Where the name is the id, half of it is another name and not a shorter way to write it.
  const named = known.flatMap((channel) => {
    const name = channel.name === undefined ? '' : plain(channel.name)
    return name !== '' && name !== plain(channel.id) ? [{ name, channel }] : []
  })
  const word = plain(wanted)
  for (const fits of [(name: string) => name === word, (name: string) => word !== '' && name.startsWith(word)]) {
    const channels = named.filter(({ name }) => fits(name)).map(({ channel }) => channel)
    const [channel, another] = channels
    if (channel) return another ? { type: 'several', channels } : { type: 'one', channel }
  }
  const thread = findThread(known, wanted)
  if (thread) return thread
  const nearest = nearestName(
    word,
    named.map(({ name }) => name),
  )
  return { type: 'none', named: named.length > 0, ...(nearest === undefined ? {} : { nearest }), alike: listAlike(known, word) }
}

/** Conversations whose id begins with the word, else the one whose id is nearest to it. */
function listAlike(known: readonly KnownChannel[], word: string): readonly KnownChannel[] {
  const begins = known.filter(({ id }) => word !== '' && plain(id).startsWith(word))
  if (begins.length > 0) return begins
  const nearest = nearestName(
    word,
    known.map(({ id }) => plain(id)),
  )
  return known.filter(({ id }) => plain(id) === nearest)
}

/** `<conversation>:<thread>`, the thread by its id, the last part of it, or its name. */
function findThread(known: readonly KnownChannel[], wanted: string): FoundChannel | undefined {
  const at = wanted.lastIndexOf(':')
  if (at <= 0) return undefined
  const parent = findChannel(
    known.filter(({ kind }) => kind !== 'thread'),
    wanted.slice(0, at),
  )
  if (parent.type === 'several') return parent
  const id = parent.type === 'one' ? parent.channel.id : wanted.slice(0, at)
  const word = wanted.slice(at + 1)
  const threads = known.filter((one) => one.kind === 'thread' && one.parent === id)
  const byId = threads.find((one) => one.id === word || one.id.endsWith(`/${word}`))
  if (byId) return { type: 'one', channel: byId }
  const found = findChannel(threads, word)
  return found.type === 'none' ? undefined : found
}
