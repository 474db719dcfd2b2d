import type { Call, MessageRef, Mood } from '@agent/plugin-sdk'
import { type Api, refuse } from './api.ts'
import type { Channels } from './channels.ts'
import { isMessageId } from './inbound.ts'
import { parsePlace } from './place.ts'
import { isForumType } from './wire.ts'

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '✅', failed: '❌' }

/** Marks a message with one reaction of the bot. */
export function createMarker(
  api: Pick<Api, 'ask'>,
  channels: Pick<Channels, 'known'>,
): (message: MessageRef, mood: Mood, call: Call) => Promise<void> {
  return async ({ conversation, id }, mood, { signal }) => {
    const place = parsePlace(conversation)
    if (!place || !isMessageId(id)) return
    // The message with which a thread began lies in the channel of the thread, except in a forum.
    const outside = place.parent !== undefined && id === place.channel && !isForumType(channels.known(place.parent)?.type ?? -1)
    const path = `/channels/${outside ? place.parent : place.channel}/messages/${id}/reactions`
    const change = async (method: string, mark: string): Promise<void> => {
      const answer = await api.ask(method, `${path}/${encodeURIComponent(mark)}/@me`, { signal })
      if (!answer.ok && answer.status !== 404) throw refuse(answer)
    }
    await change('PUT', marks[mood])
    if (mood !== 'seen') await change('DELETE', marks.seen)
  }
}
