import type { InboundMessage } from '@agent/plugin-sdk'
import { createReceiveQueue, type OpcodeSession } from '@agent/plugin-sdk/http'
import { unreachable } from './api.ts'
import type { Bot } from './bot.ts'
import { type Receiver, readMessage } from './inbound.ts'
import { answerInteraction } from './interactions.ts'
import { formatThread, parsePlace, takesThreads } from './place.ts'
import { compareIds, read, type WireMessage, wire } from './wire.ts'

const mostPages = 5
const pageSize = 100

/** Hands in what people say, in order: first what was said while nobody listened. Gives what takes the events of the gateway. */
export function openInbox(bot: Bot, { pause, resume }: OpcodeSession): (name: string, data: unknown) => void {
  const { context, settings, life, channels, threads, memory, account } = bot
  const { signal, end } = life
  const accept = createReceiveQueue({ receive: context.receive, clock: context.clock, signal, pause, resume, onFailure: end })
  const receiver: Receiver = {
    account,
    isOwnRole: channels.isOwnRole,
    opensThread: (channel) => settings.autoThread && takesThreads(channel) && !settings.noThreadChannels.has(channel.id),
  }
  const remember = (said: WireMessage, { addressed, conversation }: InboundMessage): void => {
    const places = [said.channel_id, parsePlace(conversation.id)?.channel ?? said.channel_id]
    if (addressed) for (const channel of places) memory.follow(channel, said.id)
    memory.setHeard(said.channel_id, said.id)
  }
  const onMessage = async (said: WireMessage): Promise<void> => {
    if (said.author.id === account) return
    const message = readMessage(said, await channels.find(said.channel_id, signal), receiver)
    if (!message) return
    const { id, name = '' } = message.conversation
    if (id === formatThread(said.channel_id, said.id)) threads.expect(said.id, name)
    // What was not taken ends the connection, and is read again on the next.
    accept(message)
      .then(() => remember(said, message))
      .catch(() => undefined)
  }
  let last = Promise.resolve()
  const inOrder = (work: () => Promise<unknown>): void => {
    last = last.then(async () => void (signal.aborted || (await work()))).catch(life.end)
  }
  inOrder(async () => {
    for await (const said of catchUp(bot)) await onMessage(said)
  })
  return (name, data) => {
    channels.onEvent(name, data)
    const said = name === 'MESSAGE_CREATE' ? read(wire.message, data) : undefined
    const interaction = name === 'INTERACTION_CREATE' ? read(wire.interaction, data) : undefined
    if (said) inOrder(() => onMessage(said))
    if (!interaction) return
    // Answered at once, but handed in when its turn has come.
    const answered = answerInteraction(bot, interaction)
    inOrder(async () => {
      const command = await answered
      if (command) accept(command).catch(() => undefined)
    })
  }
}

/** Reads what was said while nobody listened, in the channels in which a conversation goes on; the oldest first in each. */
async function* catchUp(bot: Bot): AsyncGenerator<WireMessage> {
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
