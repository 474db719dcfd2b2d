import type { Clock, Log, Wire } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Generations } from '#agent/reload/generations.ts'
import type { Home } from '#config/home.ts'
import type { Activator } from '#kernel/activate.ts'
import type { Catalog } from '#kernel/catalog.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { LinkStatus } from '../links/link-status.ts'
import type { QueueCounts } from '../queue-counts.ts'
import type { ReloadReport } from '../reload/reload-report.ts'
import { controlPath } from './control-path.ts'
import { listLivePlugins } from './live-plugins.ts'
import { type ControlMethods, openControl } from './open-control.ts'

/** How a running gateway is, as itself says. */
export interface GatewayStatus {
  readonly boot: string
  readonly url: string
  readonly platforms: readonly LinkStatus[]
  readonly queues: readonly QueueCounts[]
}

export interface MethodsOptions {
  readonly home: Home
  readonly catalog: Catalog
  readonly generations: Pick<Generations, 'number'>
  readonly activator: Pick<Activator, 'state'>
  readonly hosts?: Pick<ExtensionHosts, 'status'> | undefined
  readonly clock: Clock
  readonly log: Log
}

/** What a gateway can be asked to tell and to do. */
export interface Abilities {
  readonly status: () => GatewayStatus
  readonly reload: () => Promise<ReloadReport>
  readonly signal: AbortSignal
}

/** Opens the control channel of a gateway. Where its socket cannot be made, the gateway does without. */
export async function openMethods(options: MethodsOptions, abilities: Abilities): Promise<() => Promise<void>> {
  const { home, generations, log } = options
  const methods: ControlMethods = {
    status: async () => wire({ ...abilities.status(), pid: process.pid, generation: generations.number() }),
    'plugins.list': async () => wire({ plugins: listLivePlugins(options) }),
    'plugins.reload': async () => wire(await abilities.reload()),
  }
  try {
    const control = await openControl({ path: controlPath(home.path), methods, log })
    return control.close
  } catch (error) {
    const problem = isAgentError(error) ? error.message : String(error)
    log.error('this gateway cannot be asked by other commands: its socket could not be made', { problem })
    return async () => undefined
  }
}

function wire(value: object): Wire {
  return JSON.parse(JSON.stringify(value)) as Wire
}
