import type { PlatformContext } from './context.ts'
import type { OutboundMessage, Receipt } from './messages.ts'
import type { Call } from './wire.ts'

/** Default export of a platform's entry file. */
export interface Platform<C = unknown> {
  /** Resolves when messages can be received and sent; rejects with a coded error. */
  connect(context: PlatformContext<C>, call: Call): Promise<Connection>
}

export interface Connection {
  /** Never rejects for a refusal of the platform: that is a receipt. `unknown` is a lawful answer. */
  send?(message: OutboundMessage, call: Call): Promise<Receipt>
  /** Replaces the text of a sent message. Declared by the capability `edit`. */
  edit?(platformId: string, message: OutboundMessage, call: Call): Promise<Receipt>
  /** Asked after a lost receipt, before the send is marked unknown. Declared by the capability `findSent`. */
  findSent?(key: string, conversation: string, call: Call): Promise<Receipt | null>
  /** Shows that an answer is being written. Declared by the capability `typing`. */
  typing?(conversation: string, call: Call): Promise<void>
  /** When the platform was last heard: milliseconds since 1970. Proof of reception, not of health. */
  lastHeard(call: Call): Promise<number>
  close(call: Call): Promise<void>
}
