import type { Api } from './api.ts'
import { type Channel, read, wire } from './wire.ts'

/** What is known of the channels that the bot can see. */
export interface Channels {
  /** Learns from what the gateway tells. */
  onEvent(name: string, data: unknown): void
  /** Asks Discord for what is not known; undefined where it does not tell. */
  find(id: string, signal: AbortSignal): Promise<Channel | undefined>
  list(): readonly Channel[]
  /** The role that is the bot's own: people mention it instead of the bot. */
  isOwnRole(id: string): boolean
}

export function createChannels(api: Pick<Api, 'ask'>, account: string): Channels {
  const channels = new Map<string, Channel>()
  const ownRoles = new Set<string>()
  const learn = (data: unknown, guild: object = {}): Channel | undefined => {
    const channel = read(wire.channel, data)
    if (channel) channels.set(channel.id, { ...channel, ...guild })
    return channel
  }
  const forgetGuild = (guild: string): void => {
    for (const { id, guild_id } of channels.values()) if (guild_id === guild) channels.delete(id)
  }
  const onGuild = (name: string, data: unknown): void => {
    const { id: guild_id, channels: own = [], threads = [], roles = [] } = read(wire.guild, data) ?? {}
    if (guild_id === undefined) return
    if (name === 'GUILD_DELETE') forgetGuild(guild_id)
    for (const one of [...own, ...threads]) learn(one, { guild_id })
    for (const { id } of roles.filter(({ tags }) => tags?.bot_id === account)) ownRoles.add(id)
  }
  return {
    list: () => [...channels.values()],
    isOwnRole: (id) => ownRoles.has(id),
    onEvent: (name, data) => {
      if (name.startsWith('GUILD_')) onGuild(name, data)
      else if (/^(CHANNEL|THREAD)_(CREATE|UPDATE)$/.test(name)) learn(data)
      else if (/^(CHANNEL|THREAD)_DELETE$/.test(name)) channels.delete(read(wire.channel, data)?.id ?? '')
    },
    find: async (id, signal) => {
      const known = channels.get(id)
      if (known) return known
      const answer = await api.ask('GET', `/channels/${id}`, signal).catch(() => undefined)
      return answer?.ok ? learn(answer.body) : undefined
    },
  }
}
