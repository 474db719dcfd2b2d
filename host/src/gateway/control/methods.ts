import type { Clock, Log, Wire } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Generations } from '#agent/reload/generations.ts'
import type { Home } from '#config/home/home.ts'
import { needsRestart } from '#config/takes-effect.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { WaitingQuestions } from '../conversation/waiting-questions.ts'
import { controlPath } from '../instance/control-path.ts'
import type { GatewayStatus } from '../instance/gateway-status.ts'
import type { ReloadReport, ServedProfile } from '../reload/reload-report.ts'
import { listLivePlugins } from './live-plugins.ts'
import { type ControlChannel, type ControlMethods, openControl } from './open-control.ts'

export interface MethodsOptions {
  readonly home: Home
  readonly catalog: Catalog
  readonly generations: Pick<Generations, 'number' | 'loaded'>
  readonly activator: Pick<Activator, 'state'>
  readonly hosts?: Pick<ExtensionHosts, 'status'> | undefined
  /** Of a gateway that another profile serves: takes it out. */
  readonly guest?: { leave(): void } | undefined
  /** Of a gateway that serves other profiles: how they are. */
  readonly guests?: { list(): readonly ServedProfile[] | undefined } | undefined
  readonly clock: Clock
  readonly log: Log
}

/** What a gateway can be asked to tell and to do. */
export interface Abilities {
  readonly status: () => GatewayStatus
  /** Brings up to date when each platform was last heard. */
  readonly hear: () => Promise<void>
  readonly reload: () => Promise<ReloadReport>
  readonly questions: WaitingQuestions
  readonly signal: AbortSignal
}

/** Opens the control channel of a gateway. Where its socket cannot be made, the gateway does without. */
export async function openMethods(options: MethodsOptions, abilities: Abilities): Promise<ControlChannel> {
  const { home, generations, log } = options
  const { environment } = generations.loaded
  const atStart = Object.entries(environment.printsOfFile(abilities.status().boot)).filter(([name]) => needsRestart(name))
  // Variables that only a start reads are the old ones even after a reload.
  const prints = (boot: string) => {
    const now = Object.entries(environment.printsOfFile(boot)).filter(([name]) => !needsRestart(name))
    return Object.fromEntries([...now, ...atStart])
  }
  const methods: ControlMethods = {
    status: async () => {
      await abilities.hear()
      const status = abilities.status()
      const profiles = options.guests?.list()
      return wire({ ...status, pid: process.pid, generation: generations.number(), environmentPrints: prints(status.boot), profiles })
    },
    'plugins.list': async () => wire({ plugins: listLivePlugins(options) }),
    'plugins.reload': async () => wire(await abilities.reload()),
    'questions.list': async () => wire({ questions: abilities.questions.list() }),
    'questions.answer': async (params) => {
      const { id, value } = readAnswer(params)
      return wire({ outcome: await abilities.questions.answer(id, value) })
    },
    'profile.leave': async () => {
      const { guest } = options
      if (!guest) throw fail('CONTROL_REQUEST', { problem: 'no other profile serves this one' })
      // Who asked is answered before the channel closes.
      setImmediate(() => guest.leave())
      return null
    },
  }
  try {
    return await openControl({ path: controlPath(home.path), methods, log })
  } catch (error) {
    const problem = isAgentError(error) ? error.message : String(error)
    log.error('this gateway cannot be asked by other commands: its socket could not be made', { problem })
    return { close: async () => undefined }
  }
}

function readAnswer(params: unknown): { readonly id: string; readonly value: string } {
  const { id, value } = (params ?? {}) as { readonly id?: unknown; readonly value?: unknown }
  if (typeof id === 'string' && typeof value === 'string') return { id, value }
  throw fail('CONTROL_REQUEST', { problem: 'an answer needs the id of a question and a value' })
}

function wire(value: object): Wire {
  return JSON.parse(JSON.stringify(value)) as Wire
}
