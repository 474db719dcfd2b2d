import type { Conversation, Log, Wire } from '@agent/plugin-sdk'
import type { Kv } from '#store/kv.ts'

/** A conversation that the gateway knows of. Its name is untrusted text. */
export interface KnownChannel {
  readonly id: string
  /** Which of the bot's accounts sees it. */
  readonly account: string
  readonly kind: Conversation['kind']
  readonly name?: string
  /** Id of the conversation that a thread belongs to. */
  readonly parent?: string
  /** Milliseconds since 1970; 0 where the platform has listed it and nobody has written yet. */
  readonly lastSeen: number
}

/** Where the agent can speak: what it has seen, and what platforms list. */
export interface ChannelDirectory {
  /** Somebody who is let in wrote here. Never rejects. */
  note(platform: string, account: string, conversation: Conversation): Promise<void>
  /** What the platform lists; `account` is for those that were never seen. */
  fill(platform: string, account: string, conversations: readonly Conversation[]): Promise<void>
  /** Last seen first. */
  list(platform: string): Promise<readonly KnownChannel[]>
}

export interface ChannelDirectoryOptions {
  readonly kv: Kv
  readonly now: () => number
  readonly log: Log
}

const mostChannels = 1000
const longestName = 240
/** It is not written down more often when a conversation was last seen. */
const seenEveryMs = 3_600_000

// A dot stands in no plugin's id, so no plugin has this space.
const spaceOf = (platform: string): string => `host.channels.${platform}`

/** Reads each platform's part at its first use; every change is in the store. */
export function openChannelDirectory({ kv, now, log }: ChannelDirectoryOptions): ChannelDirectory {
  const loaded = new Map<string, Promise<Map<string, KnownChannel>>>()
  const load = (platform: string): Promise<Map<string, KnownChannel>> => {
    const found = loaded.get(platform)
    if (found !== undefined) return found
    const reading = readChannels(kv, platform)
    loaded.set(platform, reading)
    reading.catch(() => loaded.delete(platform))
    return reading
  }
  const put = async (platform: string, channels: Map<string, KnownChannel>, channel: KnownChannel): Promise<void> => {
    const before = channels.get(channel.id)
    if (before && isSame(before, channel)) return
    channels.set(channel.id, channel)
    await kv.set(spaceOf(platform), channel.id, channel as unknown as Wire)
    if (channels.size <= mostChannels) return
    const oldest = [...channels.values()].reduce((one, other) => (other.lastSeen < one.lastSeen ? other : one))
    channels.delete(oldest.id)
    await kv.delete(spaceOf(platform), oldest.id)
  }
  return {
    async note(platform, account, conversation) {
      try {
        await put(platform, await load(platform), toChannel(account, conversation, now()))
      } catch (error) {
        log.warn('a conversation could not be noted', { platform, error: String(error) })
      }
    },
    async fill(platform, account, conversations) {
      const channels = await load(platform)
      for (const conversation of conversations.slice(0, mostChannels)) {
        const known = channels.get(conversation.id)
        const { name = known?.name, ...rest } = conversation
        const listed = toChannel(known?.account ?? account, name === undefined ? rest : { ...rest, name }, known?.lastSeen ?? 0)
        await put(platform, channels, listed)
      }
    },
    list: async (platform) => sort(await load(platform)),
  }
}

/** What another process has written down. */
export async function listChannels(kv: Kv, platform: string): Promise<readonly KnownChannel[]> {
  return sort(await readChannels(kv, platform))
}

/** What people call a conversation, where that is known. */
export async function nameOfChannel(kv: Kv, platform: string, id: string): Promise<string | undefined> {
  return ((await kv.get(spaceOf(platform), id)) as unknown as KnownChannel | undefined)?.name
}

/** Forgets them all: the platform is gone. */
export async function forgetChannels(kv: Kv, platform: string): Promise<void> {
  for (const id of await kv.keys(spaceOf(platform))) await kv.delete(spaceOf(platform), id)
}

/** What is kept was written by the directory itself, so that its shape is known. */
async function readChannels(kv: Kv, platform: string): Promise<Map<string, KnownChannel>> {
  const channels = new Map<string, KnownChannel>()
  for (const id of await kv.keys(spaceOf(platform))) {
    const value = await kv.get(spaceOf(platform), id)
    if (value !== undefined) channels.set(id, value as unknown as KnownChannel)
  }
  return channels
}

function sort(channels: ReadonlyMap<string, KnownChannel>): readonly KnownChannel[] {
  return [...channels.values()].sort((one, other) => other.lastSeen - one.lastSeen || one.id.localeCompare(other.id))
}

function toChannel(account: string, { id, kind, name, parent }: Conversation, lastSeen: number): KnownChannel {
  const clean = name?.replaceAll(/\p{C}/gu, '').trim().slice(0, longestName)
  return { id, account, kind, ...(clean && { name: clean }), ...(parent !== undefined && { parent }), lastSeen }
}

function isSame(before: KnownChannel, now: KnownChannel): boolean {
  const facts = (one: KnownChannel): string => JSON.stringify([one.account, one.kind, one.name, one.parent])
  return facts(before) === facts(now) && now.lastSeen - before.lastSeen < seenEveryMs
}
