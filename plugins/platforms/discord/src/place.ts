import type { Conversation } from '@agent/plugin-sdk'
import { type Channel, channelTypes, isThreadType } from './wire.ts'

/** A channel, or a thread with the channel that it belongs to. */
export interface Place {
  readonly channel: string
  readonly parent?: string
}

/** A thread is named with its channel, so that it can be opened by the first answer in it. */
export function formatThread(parent: string, thread: string): string {
  return `${parent}/${thread}`
}

/** Undefined where the name cannot be one of ours. */
export function parsePlace(conversation: string): Place | undefined {
  const [, first = '', second] = /^(\d{1,20})(?:\/(\d{1,20}))?$/.exec(conversation) ?? []
  if (first === '') return undefined
  return second === undefined ? { channel: first } : { channel: second, parent: first }
}

/** A channel as the conversation that is held in it. */
export function describePlace(channel: Channel): Conversation {
  const { id, type, parent_id: parent } = channel
  const name = channel.name ? { name: isThreadType(type) ? channel.name : `#${channel.name}` } : {}
  if (isThreadType(type) && parent) return { id: formatThread(parent, id), kind: 'thread', parent, ...name }
  if (type === channelTypes.dm) return { id, kind: 'dm' }
  return { id, kind: type === channelTypes.groupDm ? 'group' : 'channel', ...name }
}

/** Where a message was said whose channel is not known. */
export function describeUnknown(id: string, guild: string | undefined): Conversation {
  return { id, kind: guild === undefined ? 'dm' : 'channel' }
}
