import type { Conversation } from '@agent/plugin-sdk'
import { type Channel, isId } from './wire.ts'

/** A channel, or a thread with the channel that it belongs to. */
export interface Place {
  readonly channel: string
  readonly parent?: string
}

const direct = 1
const group = 3
const category = 4
const threads: ReadonlySet<number> = new Set([10, 11, 12])
const forums: ReadonlySet<number> = new Set([15, 16])

/** In a forum everything is a thread. */
export const isForum = (channel: Channel | undefined): boolean => channel !== undefined && forums.has(channel.type)
const requiresTag = 16

/** What a thread in a forum has to bear: where a tag is wanted, the first that everybody may set. */
export function chooseTags({ flags = 0, available_tags: tags = [] }: Channel): readonly string[] {
  const free = tags.find(({ moderated }) => !moderated)
  return (flags & requiresTag) > 0 && free ? [free.id] : []
}

export const takesThreads = ({ type }: Channel): boolean => type === 0 || type === 5
export const isWritten = ({ type }: Channel): boolean => type !== category

/** A thread is named with its channel, so that it can be opened by the first answer in it. */
export const formatThread = (parent: string, thread: string): string => `${parent}/${thread}`

/** Undefined where the name cannot be one of ours. */
export function parsePlace(conversation: string): Place | undefined {
  const [first = '', second, more] = conversation.split('/')
  if (!isId(first) || more !== undefined) return undefined
  if (second === undefined) return { channel: first }
  return isId(second) ? { channel: second, parent: first } : undefined
}

/** A channel as the conversation that is held in it. */
export function describePlace({ id, type, name, parent_id: parent }: Channel): Conversation {
  if (threads.has(type) && parent) return { id: formatThread(parent, id), kind: 'thread', parent, ...(name ? { name } : {}) }
  if (type === direct) return { id, kind: 'dm' }
  return { id, kind: type === group ? 'group' : 'channel', ...(name ? { name: `#${name}` } : {}) }
}
