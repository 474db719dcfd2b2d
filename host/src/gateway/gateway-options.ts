import type { OpenAgent } from '#agent/open-agent.ts'
import type { SlashServices } from '#commands/slash.ts'

type Lent =
  | 'home'
  | 'loaded'
  | 'commandSandboxes'
  | 'catalog'
  | 'generations'
  | 'activator'
  | 'store'
  | 'turns'
  | 'onNotice'
  | 'notifiers'
  | 'createContext'
  | 'clock'
  | 'log'
  | 'isOfflineByDefault'

export interface GatewayOptions extends Pick<OpenAgent, Lent>, Partial<Pick<OpenAgent, 'hosts'>> {
  readonly hooks: Pick<OpenAgent['hooks'], 'has' | 'call'>
  /** What slash commands may do. */
  readonly services: SlashServices
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
  readonly random: () => number
}
