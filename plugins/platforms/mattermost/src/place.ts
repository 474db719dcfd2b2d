import type { Conversation } from '@agent/plugin-sdk'
import { type Channel, isId } from './wire.ts'

/** A channel, or a thread in it by the post that it began with. */
export interface Place {
  readonly channel: string
  readonly root?: string
}

function formatPlace({ channel, root }: Place): string {
  return root === undefined ? channel : `${channel}/${root}`
}

/** Undefined where the name cannot be one of ours. */
export function parsePlace(conversation: string): Place | undefined {
  const [channel = '', root, more] = conversation.split('/')
  if (!isId(channel) || more !== undefined) return undefined
  if (root === undefined) return { channel }
  return isId(root) ? { channel, root } : undefined
}

/** A direct message stays one in a thread, too: nobody else reads it. */
export function describePlace(place: Place, channel: Pick<Channel, 'type' | 'display_name'> | undefined): Conversation {
  const id = formatPlace(place)
  const name = channel?.display_name ? { name: channel.display_name } : {}
  if (channel?.type === 'D') return { id, kind: 'dm', ...name }
  if (place.root !== undefined) return { id, kind: 'thread', parent: place.channel, ...name }
  return { id, kind: channel?.type === 'G' ? 'group' : 'channel', ...name }
}
