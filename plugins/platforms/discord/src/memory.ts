import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { unreachable } from './api.ts'
import type { Bot } from './connection.ts'
import { compareIds, read, type WireMessage, wire } from './wire.ts'

/** The last message that was handed in of each conversation that goes on, kept over restarts. */
export interface Memory {
  /** A conversation goes on in the channel from this message on; later calls change nothing. */
  follow(channel: string, message: string): void
  /** A message was handed in. */
  setHeard(channel: string, message: string): void
  forget(channel: string): void
  list(): readonly (readonly [channel: string, message: string])[]
  /** Resolves when everything is written. */
  written(): Promise<void>
}

const mostChannels = 100
const stored = z.array(z.tuple([z.string(), z.string()]))

export async function openMemory(state: State, account: string, onFailure: (error: unknown) => void): Promise<Memory> {
  const key = `heard:${account}`
  const heard = new Map<string, string>(read(stored, await state.get(key)) ?? [])
  let writing = Promise.resolve()
  const write = (): void => {
    writing = writing.then(() => state.set(key, [...heard])).catch(onFailure)
  }
  const set = (channel: string, message: string): void => {
    // The channel in which something was said last stands last; the first goes when there are too many.
    heard.delete(channel)
    heard.set(channel, message)
    const [oldest = ''] = heard.keys()
    if (heard.size > mostChannels) heard.delete(oldest)
    write()
  }
  return {
    follow: (channel, message) => void (heard.has(channel) || set(channel, message)),
    setHeard: (channel, message) => void (compareIds(message, heard.get(channel) ?? message) > 0 && set(channel, message)),
    forget: (channel) => void (heard.delete(channel) && write()),
    list: () => [...heard],
    written: () => writing,
  }
}

const pageSize = 100
const mostPages = 5

/** Reads what was said while nobody listened, in the channels in which a conversation goes on; the oldest first in each. */
export async function* catchUp(bot: Bot): AsyncGenerator<WireMessage> {
  for (const [channel, heard] of bot.memory.list()) {
    let after = heard
    for (let page = 0; page < mostPages; page += 1) {
      const messages = await fetchPage(bot, channel, after)
      for (const message of messages ?? []) yield await addMember(bot, message)
      after = messages?.at(-1)?.id ?? after
      if ((messages ?? []).length < pageSize) break
    }
  }
}

/** Undefined where the channel is gone or closed to us. */
async function fetchPage({ ask, memory, life }: Bot, channel: string, after: string): Promise<WireMessage[] | undefined> {
  const { ok, status, detail, body } = await ask('GET', `/channels/${channel}/messages?after=${after}&limit=${pageSize}`, life.signal)
  if (status === 403 || status === 404) return void memory.forget(channel)
  if (!ok) throw unreachable(detail)
  const messages = (read(wire.list, body) ?? []).flatMap((one) => read(wire.message, one) ?? [])
  return messages.sort((one, other) => compareIds(one.id, other.id))
}

/** A message that is read afterwards does not say which roles its author has, nor on which server it was said. */
async function addMember({ ask, channels, life: { signal } }: Bot, message: WireMessage): Promise<WireMessage> {
  const guild_id = (await channels.find(message.channel_id, signal))?.guild_id
  if (!guild_id || message.webhook_id || message.author.bot) return message
  const answer = await ask('GET', `/guilds/${guild_id}/members/${message.author.id}`, signal)
  const member = answer.ok ? read(wire.member, answer.body) : undefined
  return { ...message, guild_id, ...(member ? { member } : {}) }
}
