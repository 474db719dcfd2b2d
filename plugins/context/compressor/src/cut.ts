import { type CompressRequest, estimateTokens, type InputPart, type ModelMessage } from '@agent/plugin-sdk'
import { readNotes } from './notes.ts'

/** A conversation in three: what stays, what notes stand in for, and what stays again. */
export interface Cut {
  readonly head: readonly ModelMessage[]
  readonly middle: readonly ModelMessage[]
  /** The last words of the person, where they are not in the tail. */
  readonly asked: readonly InputPart[]
  readonly tail: readonly ModelMessage[]
}

/** How many tokens head and tail may take. */
export interface Rooms {
  readonly head: number
  readonly tail: number
}

/** Cuts between messages, so that no call loses its result. The tail holds at least what the model has to answer. */
export function cutConversation({ messages, keepFirst, keepLast }: CompressRequest, rooms: Rooms): Cut {
  const first = headEnd(messages, keepFirst, rooms.head)
  const start = Math.max(first, Math.min(tailStart(messages, keepLast, rooms.tail), lastStart(messages)))
  const tail = messages.slice(start)
  const last = messages.findLast((message) => message.role === 'user')
  const isInTail = tail.some((message) => message.role === 'user')
  const asked = isInTail || !last ? [] : last.parts.filter((part) => part.type !== 'text' || readNotes(part.text) === undefined)
  return { head: messages.slice(0, first), middle: messages.slice(first, start), asked, tail }
}

/** The first turns, as far as they are whole and small. Notes of an earlier time are no part of them. */
function headEnd(messages: readonly ModelMessage[], most: number, room: number): number {
  for (let end = Math.min(most, messages.length - 1); end > 0; end--) {
    const isWhole = messages[end]?.role === 'user'
    const head = messages.slice(0, end)
    if (isWhole && !head.some(hasNotes) && estimateTokens(head) <= room) return end
  }
  return 0
}

function hasNotes(message: ModelMessage): boolean {
  return message.role === 'user' && message.parts.some((part) => part.type === 'text' && readNotes(part.text) !== undefined)
}

/** As many of the last messages as there is room for; those that should stay may take half as much again. */
function tailStart(messages: readonly ModelMessage[], keepLast: number, room: number): number {
  let taken = 0
  let start = messages.length
  while (start > 0) {
    taken += estimateTokens(messages[start - 1])
    if (taken > (messages.length - start < keepLast ? room * 1.5 : room)) break
    start--
  }
  while (messages[start]?.role === 'tool') start++
  return start
}

/** The latest place from which on the model still has what it is to go on with. */
function lastStart(messages: readonly ModelMessage[]): number {
  let start = messages.length - 1
  while (start > 0 && messages[start]?.role === 'tool') start--
  return Math.max(start, 0)
}
