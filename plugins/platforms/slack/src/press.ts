import type { Conversation, Wire } from '@agent/plugin-sdk'
import { escapeText } from './markup.ts'
import { replies, type SlackPress } from './wire.ts'
import type { App } from './workspaces.ts'

/** Marks the row of buttons that is ours. */
export const buttonsBlock = 'agent-buttons'

/** Hands in a pressed button of ours and shows what became of it: in the message for everybody, or only to who pressed. */
export async function answerPress({ user, team, channel, message, actions }: SlackPress, app: App): Promise<void> {
  const button = actions.find(({ block_id }) => block_id === buttonsBlock)?.value
  if (!button) return
  const { api, team: account } = app.find(team?.id ?? '') ?? app.locate(channel.id)
  const { signal } = app.life
  const name = user.name || user.username
  const sender = { id: user.id, ...(name && { name }), isBot: false }
  const { status, text } = await app.context.press({ account, conversation: readPlace(channel.id, message), sender, button })
  const note = escapeText(text)
  if (status !== 'taken') {
    const whisper = { channel: channel.id, user: user.id, text: note, thread_ts: message.thread_ts }
    await api.ask(replies.done, 'chat.postEphemeral', whisper, signal)
  }
  if (status === 'refused') return
  // The buttons go; where the question is answered now, the answer stands there instead.
  const left = (message.blocks ?? []).filter(({ block_id }) => block_id !== buttonsBlock) as unknown as readonly Wire[]
  const answer = status === 'taken' ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: note }] }] : []
  const shown = { channel: channel.id, ts: message.ts, text: message.text || note, blocks: [...left, ...answer] }
  await api.ask(replies.done, 'chat.update', shown, signal)
}

/** A message that others have answered in a thread is still outside of it. */
function readPlace(id: string, { ts, thread_ts }: SlackPress['message']): Conversation {
  if (thread_ts !== undefined && thread_ts !== ts) return { id: `${id}/${thread_ts}`, kind: 'thread', parent: id }
  return { id, kind: id.startsWith('D') ? 'dm' : 'channel' }
}
