import type { AuxiliaryModels, Call, Clock, Context, Log, Manifest, Secrets, State, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog/catalog.ts'
import { limitFetch } from '../egress/limit-fetch.ts'
import { requestMessage } from '../egress/tell-request.ts'
import type { Ledger } from '../ledger.ts'

export interface ContextOptions {
  readonly contribution: Contribution
  /** Checked, defaults filled in. */
  readonly config: unknown
  readonly secrets: Secrets
  /** Of this plugin alone. */
  readonly state: State
  readonly models: AuxiliaryModels
  readonly log: Log
  readonly clock: Clock
  readonly ledger: Ledger
  readonly fetch?: Context['fetch']
  readonly profile: string
  readonly agentVersion: string
}

export type HostVerb = NonNullable<Manifest['permissions']['host']>['value'][number]

/** Throws PLUGIN_UNDECLARED unless the manifest asks for the verb. */
export function requireHostVerb({ plugin }: Pick<Contribution, 'plugin'>, verb: HostVerb): void {
  const { id, permissions } = plugin.manifest
  if (permissions.host?.value.includes(verb)) return
  throw fail('PLUGIN_UNDECLARED', { plugin: id, access: verb, field: `"${verb}" in permissions.host` })
}

/** What a plugin sees of the host: what its manifest declares and nothing else. Dead once the ledger is disposed of. */
export function createContext(options: ContextOptions): Context {
  const { contribution, ledger, clock, profile, agentVersion, config } = options
  const { id: plugin, permissions } = contribution.plugin.manifest
  const alive = (): void => {
    if (ledger.signal.aborted) throw fail('PLUGIN_INACTIVE', { plugin })
  }
  const log = namePlugin(options.log, plugin)
  return Object.freeze({
    about: Object.freeze({ plugin, contribution: contribution.id, profile, agentVersion }),
    config,
    log,
    clock,
    signal: ledger.signal,
    secrets: limitSecrets(options, alive),
    state: limitState(options.state, alive),
    models: Object.freeze({
      async ask(request: Parameters<AuxiliaryModels['ask']>[0], call: Call) {
        alive()
        requireHostVerb(contribution, 'models')
        return options.models.ask(request, call)
      },
    }),
    fetch: limitFetch({
      ...{ plugin, net: permissions.net?.value ?? 'none', fetch: options.fetch ?? globalThis.fetch, signal: ledger.signal, clock },
      onRequest: (told) => log.debug(requestMessage, { ...told }),
    }),
    effect(disposer: () => void | Promise<void>) {
      ledger.add(disposer)
    },
  })
}

function namePlugin(log: Log, plugin: string): Log {
  const named =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) =>
      log[level](message, { plugin, ...fields })
  return Object.freeze({ debug: named('debug'), info: named('info'), warn: named('warn'), error: named('error') })
}

function limitSecrets({ contribution, secrets }: ContextOptions, alive: () => void): Secrets {
  const { id, env } = contribution.plugin.manifest
  const check = (name: string): void => {
    alive()
    if (env.some((each) => each.name === name)) return
    throw fail('PLUGIN_UNDECLARED', { plugin: id, access: `the variable ${name}`, field: `${name} in env` })
  }
  return Object.freeze({
    async get(name: string) {
      check(name)
      return secrets.get(name)
    },
    async find(name: string) {
      check(name)
      return secrets.find(name)
    },
    async set(name: string, value: string) {
      check(name)
      return secrets.set(name, value)
    },
  })
}

function limitState(state: State, alive: () => void): State {
  return Object.freeze({
    async get(key: string) {
      alive()
      return state.get(key)
    },
    async set(key: string, value: Wire) {
      alive()
      return state.set(key, value)
    },
    async delete(key: string) {
      alive()
      return state.delete(key)
    },
  })
}
