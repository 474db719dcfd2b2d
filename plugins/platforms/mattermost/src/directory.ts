import { type Api, refuse } from './api.ts'
import { type Channel, readChannel, readChannels, readUsers, type User } from './wire.ts'

/** Channels and people, asked for once. */
export interface Directory {
  /** All channels of the bot, asked for now. */
  fetchChannels(signal: AbortSignal): Promise<readonly Channel[]>
  findChannel(id: string, signal: AbortSignal): Promise<Channel | undefined>
  /** Undefined where the server does not tell. */
  findUser(id: string, signal: AbortSignal): Promise<User | undefined>
}

const mostKept = 5000

export function createDirectory(api: Pick<Api, 'ask'>): Directory {
  const channels = new Map<string, Channel>()
  const users = new Map<string, User>()
  const keep = <T extends { readonly id: string }>(map: Map<string, T>, item: T): void => {
    map.set(item.id, item)
    const [oldest] = map.keys()
    if (map.size > mostKept && oldest !== undefined) map.delete(oldest)
  }
  return {
    fetchChannels: async (signal) => {
      const answer = await api.ask('GET', '/users/me/channels', { signal })
      if (!answer.ok) throw refuse(answer)
      const found = readChannels(answer.body) ?? []
      for (const channel of found) keep(channels, channel)
      return found
    },
    findChannel: async (id, signal) => {
      const known = channels.get(id)
      if (known) return known
      const answer = await api.ask('GET', `/channels/${id}`, { signal }).catch(() => undefined)
      const channel = answer?.ok ? readChannel(answer.body) : undefined
      if (channel) keep(channels, channel)
      return channel
    },
    findUser: async (id, signal) => {
      const known = users.get(id)
      if (known) return known
      const answer = await api.ask('POST', '/users/ids', { signal, json: [id] }).catch(() => undefined)
      const [user] = (answer?.ok ? readUsers(answer.body) : undefined) ?? []
      if (user) keep(users, user)
      return user
    },
  }
}
