import type { Call, Connection, Conversation, Mood } from '@agent/plugin-sdk'
import { formatPath } from './api.ts'
import { readPlace } from './content.ts'
import { annotate } from './questions.ts'
import type { Session } from './session.ts'
import { parseEvent, parseReaction, replies } from './wire.ts'

/** What people see besides messages, and where the bot can speak. */
export type Signs = Required<Pick<Connection, 'react' | 'typing' | 'endTyping' | 'listConversations'>>

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '✅', failed: '❌' }
const ours = new Set(Object.values(marks))
const typingMs = 30_000
const mostListed = 200
/** Answers need what the server allows more than signs do. */
const hasty = { patient: false } as const

export function createSigns({ api, user, rooms, put }: Session): Signs {
  const showTyping = async (conversation: string, body: object, { signal }: Call): Promise<void> => {
    const { room } = readPlace(conversation)
    await api.ask(replies.any, formatPath('rooms', room, 'typing', user), { method: 'PUT', body, signal, ...hasty })
  }
  const removeMarks = async (room: string, id: string, { signal }: Call): Promise<void> => {
    const path = formatPath('rooms', room, 'relations', id, 'm.annotation', 'm.reaction').replace('v3', 'v1')
    const { chunk } = await api.ask(replies.messages, `${path}?limit=100`, { signal, ...hasty })
    const own = chunk.flatMap((one) => parseEvent(one) ?? []).filter(({ sender }) => sender === user)
    const marked = own.filter(({ content }) => ours.has(parseReaction(content)?.key ?? ''))
    for (const { event_id } of marked) await put(room, ['redact', event_id, 'unmark'], {}, hasty)
  }
  return {
    react: async ({ id, conversation }, mood, call) => {
      const { room } = readPlace(conversation)
      if (mood !== 'seen') await removeMarks(room, id, call)
      await put(room, ['send', 'm.reaction', `mark-${mood}-${id}`], annotate(id, marks[mood]), hasty)
    },
    typing: (conversation, call) => showTyping(conversation, { typing: true, timeout: typingMs }, call),
    endTyping: (conversation, call) => showTyping(conversation, { typing: false }, call),
    listConversations: async ({ signal }) => {
      const { joined_rooms } = await api.ask(replies.joined, formatPath('joined_rooms'), { signal })
      const found: Conversation[] = []
      for (const id of joined_rooms.slice(0, mostListed)) {
        const { direct, name } = await rooms.describe(id)
        found.push({ id, kind: direct ? 'dm' : 'group', ...(name && { name }) })
      }
      return found
    },
  }
}
