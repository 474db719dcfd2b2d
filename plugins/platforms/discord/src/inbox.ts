import type { InboundMessage } from '@agent/plugin-sdk'
import { createReceiveQueue, type OpcodeSession } from '@agent/plugin-sdk/http'
import type { Bot } from './connection.ts'
import { type Receiver, readMessage } from './inbound.ts'
import { answerInteraction } from './interactions.ts'
import { catchUp } from './memory.ts'
import { formatThread, parsePlace, takesThreads } from './place.ts'
import { read, type WireMessage, wire } from './wire.ts'

/** Hands in what people say, in order: first what was said while nobody listened. Gives what takes the events of the gateway. */
export function openInbox(bot: Bot, { pause, resume }: OpcodeSession): (name: string, data: unknown) => void {
  const { context, settings, life, channels, threads, memory, account } = bot
  const { receive, clock } = context
  const { signal } = life
  const accept = createReceiveQueue({ receive, clock, signal, pause, resume, onFailure: life.end })
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
