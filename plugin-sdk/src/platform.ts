import type { PlatformContext } from './context.ts'
import type { Attachment, Command, Conversation, Identity, MessageRef, Mood, OutboundMessage, Receipt } from './messages.ts'
import type { Call } from './wire.ts'

/** Default export of a platform's entry file. */
export interface Platform<C = unknown> {
  /** Resolves when messages can be received and sent, and the credentials are proved; rejects with a coded error. */
  connect(context: PlatformContext<C>, call: Call): Promise<Connection>
}

export interface Connection {
  /** Never rejects for a refusal of the platform: that is a receipt. `unknown` is a lawful answer. Messaging doors. */
  send?(message: OutboundMessage, call: Call): Promise<Receipt>
  /** Who the bot is. Messaging doors. */
  identity?(call: Call): Promise<Identity>
  /** Replaces text and buttons of a sent message. Declared by the capability `edit`. */
  edit?(platformId: string, message: OutboundMessage, call: Call): Promise<Receipt>
  /** Asked after a lost receipt, before the send is marked unknown. Declared by the capability `findSent`. */
  findSent?(key: string, conversation: string, call: Call): Promise<Receipt | null>
  /** Shows that an answer is being written; repeated each `limits.typingMs`. Declared by the capability `typing`. */
  typing?(conversation: string, call: Call): Promise<void>
  /** Marks a message of somebody else; the mark before it goes away. Declared by the capability `react`. */
  react?(message: MessageRef, mood: Mood, call: Call): Promise<void>
  /** The bytes of a file that came with a message. Declared by the capability `fetchMedia`. */
  fetchMedia?(attachment: Attachment, call: Call): AsyncIterable<Uint8Array>
  /** Shows the agent's commands in the menu of the platform; the list replaces the one before it. Declared by the capability `setCommands`. */
  setCommands?(commands: readonly Command[], call: Call): Promise<void>
  /** Where the bot can speak, as far as the platform tells. Declared by the capability `listConversations`. */
  listConversations?(call: Call): Promise<readonly Conversation[]>
  /** When the platform was last heard: milliseconds since 1970. Proof of reception, not of health. */
  lastHeard(call: Call): Promise<number>
  close(call: Call): Promise<void>
}
