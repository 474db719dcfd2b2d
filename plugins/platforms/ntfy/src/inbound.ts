import type { InboundMessage } from '@agent/plugin-sdk'
import { isMark } from './mark.ts'
import type { NtfyEvent } from './wire.ts'

export interface Receiver {
  readonly account: string
  readonly topic: string
}

/**
 * What somebody said on our topic. Undefined for everything else: signs of life, bytes that are no text, answers of agents.
 * All who may write on a topic are one and the same to us: a title can be anything, so it is text and not a name.
 */
export function readMessage(event: NtfyEvent, { account, topic }: Receiver): InboundMessage | undefined {
  if (event.event !== 'message' || event.encoding || event.tags?.some(isMark)) return undefined
  const file = event.attachment && `(attached: ${event.attachment.name}, ${event.attachment.url})`
  const text = [event.title, event.message, file]
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .join('\n')
  if (text === '') return undefined
  return {
    id: event.id,
    account,
    conversation: { id: topic, kind: 'dm', name: topic },
    sender: { id: topic, isBot: false },
    text,
    addressed: true,
    sentAt: event.time * 1000,
  }
}
