import type { InboundMessage, Log, OutboundMessage, PlatformManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { measureText } from '../markup/chunk.ts'

/** What plugins have to say about messages that come and go. */
export interface MessageHooks {
  /** Each message is asked about by itself, so that none may be added to another. */
  guards(): boolean
  /** What the writer of a message is told when a hook refuses it. */
  refusal(platform: string, message: InboundMessage): Promise<string | undefined>
  /** What is sent may become something else, so that nobody may see it before. */
  revises(): boolean
  /** The message with the text that hooks give it; what no longer fits into one message of the platform stays as it was. */
  revise(spec: PlatformManifest, message: OutboundMessage): Promise<OutboundMessage>
}

export function createMessageHooks(hooks: Pick<HookDispatcher, 'has' | 'call'>, log: Pick<Log, 'warn'>): MessageHooks {
  return {
    guards: () => hooks.has('message.inbound'),
    refusal: async (platform, message) => {
      if (!hooks.has('message.inbound')) return undefined
      const refusal = await hooks.call('message.inbound', { platform, message })
      return refusal && fail('HOOK_REFUSED', { hook: 'message.inbound', ...refusal }).message
    },
    revises: () => hooks.has('message.outbound'),
    revise: async ({ id, limits }, message) => {
      if (!hooks.has('message.outbound')) return message
      const revised = await hooks.call('message.outbound', { platform: id, message })
      const { text } = revised.message
      if (typeof text === 'string' && measureText(text, limits.unit) <= limits.maxLength) return { ...message, text }
      log.warn('what hooks made of a message is too long for the platform; it is sent as it was', { platform: id, most: limits.maxLength })
      return message
    },
  }
}
