import type { InboundMessage, PlatformContext } from '@agent/plugin-sdk'
import { createReceiveQueue, type Life } from '@agent/plugin-sdk/http'
import type { Api } from './api.ts'
import { catchUp } from './catch-up.ts'
import type { Channels } from './channels.ts'
import type { Cursors } from './cursors.ts'
import { readMessage, takesThreads } from './inbound.ts'
import type { Replies } from './interactions.ts'
import { parsePlace } from './place.ts'
import type { Settings } from './settings.ts'
import type { Threads } from './threads.ts'
import { type Channel, readInteraction, readWireMessage, type WireMessage } from './wire.ts'

export interface InboxOptions {
  readonly context: Pick<PlatformContext, 'receive' | 'clock' | 'log'>
  readonly settings: Pick<Settings, 'autoThread' | 'noThreadChannels'>
  readonly api: Api
  readonly life: Life
  readonly channels: Channels
  readonly threads: Threads
  readonly replies: Replies
  /** The bot's own id. */
  readonly account: string
  readonly cursors: Cursors
  readonly pause: () => void
  readonly resume: () => void
}

/** Takes the events of the gateway. */
export interface Inbox {
  onEvent(name: string, data: unknown): void
}

/** Hands in what people say, in order: first what was said while nobody listened. */
export function createInbox(options: InboxOptions): Inbox {
  const { context, settings, api, life, channels, threads, replies, account, cursors } = options
  const { signal } = life
  const accept = createReceiveQueue({ ...context, signal, pause: options.pause, resume: options.resume, onFailure: life.end })
  const opensThread = (channel: Channel): boolean =>
    settings.autoThread && takesThreads(channel) && !settings.noThreadChannels.has(channel.id)
  const receiver = { account, isOwnRole: channels.isOwnRole, opensThread }

  const onAccepted = (said: WireMessage, message: InboundMessage): void => {
    if (message.addressed) cursors.follow(said.channel_id, said.id)
    const { channel = '', parent } = parsePlace(message.conversation.id) ?? {}
    if (message.addressed && parent !== undefined) cursors.follow(channel, said.id)
    cursors.move(said.channel_id, said.id)
  }
  const onMessage = async (said: WireMessage): Promise<void> => {
    if (said.author.id === account) return
    const message = readMessage(said, await channels.find(said.channel_id, signal), receiver)
    if (!message) return
    const { conversation } = message
    if (conversation.id.endsWith(`/${said.id}`) && conversation.parent === said.channel_id) threads.expect(said.id, conversation.name ?? '')
    // What was not taken ends the connection, and is read again on the next.
    accept(message).then(
      () => onAccepted(said, message),
      () => undefined,
    )
  }

  const read = catchUp({ api, channels, cursors, log: context.log, signal, onMessage })
  let last: Promise<void> = read.catch((error: unknown) => life.end(error))
  const inOrder = (work: () => Promise<void>): void => {
    last = last.then(() => (signal.aborted ? undefined : work())).catch((error: unknown) => life.end(error))
  }
  return {
    onEvent: (name, data) => {
      channels.onEvent(name, data)
      if (name === 'MESSAGE_CREATE') {
        const said = readWireMessage(data)
        if (said) inOrder(() => onMessage(said))
      } else if (name === 'INTERACTION_CREATE') {
        const interaction = readInteraction(data)
        if (!interaction) return
        const command = replies.answer(interaction)
        inOrder(async () => {
          const message = await command
          if (message) accept(message).catch(() => undefined)
        })
      }
    },
  }
}
