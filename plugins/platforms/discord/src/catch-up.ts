import type { Log } from '@agent/plugin-sdk'
import { type Api, refuse } from './api.ts'
import type { Channels } from './channels.ts'
import type { Cursors } from './cursors.ts'
import { compareIds, readMember, readMessages, readWireMessage, type WireMessage } from './wire.ts'

export interface CatchUpOptions {
  readonly api: Pick<Api, 'ask'>
  readonly channels: Pick<Channels, 'find'>
  readonly cursors: Pick<Cursors, 'list' | 'forget'>
  readonly log: Log
  readonly signal: AbortSignal
  readonly onMessage: (message: WireMessage) => Promise<void>
}

const pageSize = 100
/** More than that is not read of one channel. */
const mostPages = 5

/** Reads what was said while nobody listened, in the channels in which a conversation goes on. */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { cursors, log, onMessage } = options
  for (const [channel, after] of cursors.list()) {
    const found = await fetchSince(options, channel, after)
    if (!found) {
      log.info('a Discord channel cannot be read any more', { channel })
      cursors.forget(channel)
      continue
    }
    const complete = await addMembers(options, found)
    for (const message of complete) await onMessage(message)
  }
}

/** Undefined where the channel is gone or closed to us. */
async function fetchSince({ api, signal }: CatchUpOptions, channel: string, after: string): Promise<readonly WireMessage[] | undefined> {
  const messages: WireMessage[] = []
  let last = after
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await api.ask('GET', `/channels/${channel}/messages?after=${last}&limit=${pageSize}`, { signal })
    if (answer.status === 403 || answer.status === 404) return undefined
    if (!answer.ok) throw refuse(answer)
    const items = readMessages(answer.body) ?? []
    const found = items.flatMap((item) => readWireMessage(item) ?? []).sort((one, other) => compareIds(one.id, other.id))
    messages.push(...found)
    last = found.at(-1)?.id ?? last
    if (items.length < pageSize) break
  }
  return messages
}

/** A message that is read afterwards does not say which roles its author has, nor on which server it was said. */
async function addMembers({ api, channels, signal }: CatchUpOptions, messages: readonly WireMessage[]): Promise<readonly WireMessage[]> {
  const [first] = messages
  const guild = first && (await channels.find(first.channel_id, signal))?.guild_id
  if (!guild) return messages
  const authors = new Set(messages.filter(({ webhook_id }) => webhook_id === undefined).map(({ author }) => author.id))
  const members = new Map<string, WireMessage['member']>()
  for (const author of authors) {
    const answer = await api.ask('GET', `/guilds/${guild}/members/${author}`, { signal })
    members.set(author, answer.ok ? readMember(answer.body) : undefined)
  }
  return messages.map((message) => {
    const member = members.get(message.author.id)
    return { ...message, guild_id: guild, ...(member ? { member } : {}) }
  })
}
