import type { InboundMessage } from '@agent/plugin-sdk'

/** A plain message in a conversation, as a platform would hand it in. */
export function messageOf(id: string, more: { readonly text?: string; readonly conversation?: string } = {}): InboundMessage {
  return {
    id,
    account: 'bot',
    conversation: { id: more.conversation ?? '#a', kind: 'channel' },
    sender: { id: 'alice', isBot: false },
    text: more.text ?? `message ${id}`,
    addressed: true,
  }
}
