import type { OpenAgent } from '#agent/open-agent.ts'
import type { SlashServices } from '#commands/slash.ts'
import type { OpenDoor } from './http/open-door.ts'
import type { UncaughtErrors } from './links/faults.ts'
import type { ServedProfile } from './reload/reload-report.ts'

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
  /** What it has in common with the gateways of other profiles in this process; absent: it is alone. */
  readonly company?: Company
}

export interface Company {
  readonly openDoor: OpenDoor
  readonly faults: UncaughtErrors
  /** Of a gateway that another profile serves. */
  readonly guest?: {
    /** The profile that serves it. */
    readonly by: string
    /** Takes it out until it is wanted again. */
    leave(): void
  }
  /** Of the gateway that serves others. */
  readonly guests?: {
    /** Undefined until it has looked for the first time. */
    list(): readonly ServedProfile[] | undefined
    /** Looks which profiles there are now; tells of those that changed or cannot be served. */
    renew(): Promise<readonly ServedProfile[]>
  }
}
