import type { OpenAgent } from '#agent/open-agent.ts'
import type { SlashServices } from '#commands/slash.ts'
import type { ChatJournal } from './chat-journal.ts'

/** What the chats of a profile stand on. */
export interface ChatGround {
  readonly agent: Pick<
    OpenAgent,
    | 'catalog'
    | 'choose'
    | 'clock'
    | 'generations'
    | 'home'
    | 'loaded'
    | 'log'
    | 'models'
    | 'onTitled'
    | 'panels'
    | 'sandbox'
    | 'store'
    | 'turns'
  >
  readonly services: SlashServices
  /** The door's name, as in `TurnRequest.source`. */
  readonly source: string
  /** In which the agent works. */
  readonly folder: string
  /** Absent: what is not stored yet is lost by a crash. */
  readonly journal?: ChatJournal
}
