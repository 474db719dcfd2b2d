import type { ModelMessage } from '@agent/plugin-sdk'
import { formatMinute } from '#commands/answers/format-minute.ts'
import type { Session, Sessions } from '#store/sessions.ts'

/** So much of what was said last is shown. */
const shownLines = 6
const shownCharacters = 600

/** What goes on: which session, since when, and what was said in it last. */
export async function recall(sessions: Pick<Sessions, 'history'>, session: Session): Promise<string> {
  const { id, title, lastAt, messages } = session
  const history = await sessions.history(id)
  const asked = history.findLast((message) => message.role === 'user')
  const answered = history.findLast((message) => message.role === 'assistant')
  return [
    `Goes on with ${title ? `"${title}" (${id})` : id}: ${messages} messages, the last of ${formatMinute(lastAt)}.`,
    ...(asked ? ['', `› ${shorten(textOf(asked))}`] : []),
    ...(answered ? ['', shorten(textOf(answered))] : []),
  ].join('\n')
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return ''
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function shorten(text: string): string {
  const lines = text.trim().slice(0, shownCharacters).split('\n')
  const kept = lines.slice(0, shownLines).join('\n')
  return kept.length < text.trim().length ? `${kept} …` : kept
}
