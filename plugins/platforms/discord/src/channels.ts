import type { Api } from './api.ts'
import { type Channel, channelTypes, readChannel, readGuild, readRole } from './wire.ts'

/** What is known of the channels that the bot can see. */
export interface Channels {
  /** Learns from what the gateway tells. */
  onEvent(name: string, data: unknown): void
  learn(channel: Channel): void
  /** Asks Discord for what is not known; undefined where it does not tell. */
  find(id: string, signal: AbortSignal): Promise<Channel | undefined>
  known(id: string): Channel | undefined
  list(): readonly Channel[]
  /** The role that is the bot's own: people mention it instead of the bot. */
  isOwnRole(id: string): boolean
}

/** Discord tells of a bot's direct conversations one by one; only so many are kept. */
const mostDirect = 1000

export function createChannels(api: Pick<Api, 'ask'>, ownId: () => string): Channels {
  const channels = new Map<string, Channel>()
  const ownRoles = new Set<string>()
  const direct = new Set<string>()
  const learn = (channel: Channel): void => {
    channels.set(channel.id, channel)
    if (channel.type !== channelTypes.dm && channel.type !== channelTypes.groupDm) return
    direct.add(channel.id)
    const [oldest] = direct
    if (direct.size <= mostDirect || oldest === undefined) return
    direct.delete(oldest)
    channels.delete(oldest)
  }
  const learnRole = (data: unknown): void => {
    const role = readRole(data)
    if (role?.tags?.bot_id !== undefined && role.tags.bot_id === ownId()) ownRoles.add(role.id)
  }
  const learnAll = (items: readonly unknown[], guild: string): void => {
    for (const item of items) {
      const channel = readChannel(item)
      if (channel) learn({ ...channel, guild_id: guild })
    }
  }
  const forgetGuild = (guild: string): void => {
    for (const channel of [...channels.values()]) if (channel.guild_id === guild) channels.delete(channel.id)
  }
  const onGuild = (name: string, data: unknown): void => {
    const guild = readGuild(data)
    if (!guild) return
    if (name === 'GUILD_DELETE') forgetGuild(guild.id)
    else learnAll([...(guild.channels ?? []), ...(guild.threads ?? [])], guild.id)
    for (const role of guild.roles ?? []) learnRole(role)
  }
  return {
    learn,
    known: (id) => channels.get(id),
    list: () => [...channels.values()],
    isOwnRole: (id) => ownRoles.has(id),
    onEvent: (name, data) => {
      if (name.startsWith('GUILD_')) onGuild(name, data)
      if (!/^(CHANNEL|THREAD)_(CREATE|UPDATE|DELETE)$/.test(name)) return
      const channel = readChannel(data)
      if (channel && name.endsWith('_DELETE')) channels.delete(channel.id)
      else if (channel) learn(channel)
    },
    find: async (id, signal) => {
      const known = channels.get(id)
      if (known) return known
      const answer = await api.ask('GET', `/channels/${id}`, { signal }).catch(() => undefined)
      const found = answer?.ok ? readChannel(answer.body) : undefined
      if (found) learn(found)
      return found
    },
  }
}
