import type { Clock, GateManifest, Log } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { OpenAgentOptions } from '#agent/agent-options.ts'
import type { PluginGates } from '#agent/gates/plugin-gates.ts'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { keepManifests } from '#kernel/installed/keep-manifests.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

/** A gate that the setting names. */
export interface NamedGate {
  /** The plugin, a colon and the gate. */
  readonly name: string
  readonly label: string
  /** Absent where it does not run: then nobody gets in by it. */
  readonly way?: GateManifest['way']
}

export interface HomeGates {
  /** In the order of the setting, as they were at the last look. */
  list(): readonly NamedGate[]
  /** Looks again where the last look is some time ago. Never rejects: where it cannot look, no gate is there. */
  look(): Promise<void>
  /** Called when a look has found something else than before. */
  onChange(listener: () => void): void
  /** Asks a gate; the plugins are loaded for the first who asks. Rejects with GATE_UNUSABLE where it cannot be opened. */
  ask<Answer>(name: string, run: (gates: PluginGates, gate: Contribution<'gate'>) => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

export interface HomeGatesOptions {
  readonly context: HomeContext
  readonly clock: Clock
  readonly log: Log
  readonly agent?: Pick<OpenAgentOptions, 'importEntry' | 'clock' | 'childProgram'>
}

interface Seen {
  readonly list: readonly NamedGate[]
  /** Changes with the code, the settings and the variables of what the setting names. */
  readonly print: string
}

const lookEveryMs = 2000

/** The gates by which the owner of a home lets people into the dashboard. */
export function openHomeGates(options: HomeGatesOptions): HomeGates {
  const { clock, log } = options
  const parseManifest = keepManifests(clock)
  const agents = createAgents(options)
  const listeners: (() => void)[] = []
  let seen: Seen = { list: [], print: '' }
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> = Promise.resolve()
  const lookNow = async (): Promise<void> => {
    const now = await readGates({ ...options.context, parseManifest }).catch((error: unknown): Seen => {
      log.error('the gates of the dashboard could not be looked up, so nobody gets in by one', { error: detailOf(error) })
      return { list: [], print: '' }
    })
    const before = seen
    seen = now
    tellMissing(log, before.list, now.list)
    if (now.print === before.print) return
    agents.renew()
    for (const listener of listeners) listener()
  }
  return {
    list: () => seen.list,
    onChange: (listener) => void listeners.push(listener),
    look: () => {
      if (clock.now() - lookedAt >= lookEveryMs) {
        lookedAt = clock.now()
        looking = looking.then(lookNow)
      }
      return looking
    },
    ask: async (name, run) => {
      const agent = await agents.open()
      const gate = findGate(agent.catalog, name)
      if (!gate) throw fail('GATE_UNUSABLE', { gate: name })
      return await run(agent.gates, gate)
    },
    close: agents.close,
  }
}

interface Agents {
  open(): Promise<OpenAgent>
  /** What is asked from now on is asked of new code and new settings. */
  renew(): void
  close(): Promise<void>
}

function createAgents({ context, log, agent = {} }: HomeGatesOptions): Agents {
  const { installRoot, profile, note } = context
  let current: Promise<OpenAgent> | undefined
  let ended: Promise<void> = Promise.resolve()
  const renew = (): void => {
    const before = current
    current = undefined
    if (!before) return
    const end = before.then(
      ({ close }) => close(),
      () => undefined,
    )
    const tell = (error: unknown): void => log.warn('a gate of the dashboard did not end', { error: detailOf(error) })
    ended = Promise.all([ended, end.catch(tell)]).then(() => undefined)
  }
  const start = (): Promise<OpenAgent> => {
    const opening: Promise<OpenAgent> = openAgent({
      ...{ ...agent, installRoot, ...applySafeMode(context), profile, note, ownCommands: ownNames },
    }).catch((error: unknown) => {
      // Another one may have begun meanwhile, which has to be closed one day.
      if (current === opening) current = undefined
      log.error('the gates of the dashboard could not be opened', { error: detailOf(error) })
      throw fail('GATE_UNUSABLE', { gate: 'a plugin' }, { cause: error })
    })
    return opening
  }
  return {
    open: () => {
      current ??= start()
      return current
    },
    renew,
    close: async () => {
      renew()
      await ended
    },
  }
}

async function readGates(context: HomeContext): Promise<Seen> {
  const { loaded, catalog } = await openCatalog(context)
  const named = loaded.config.dashboard.gates.map((name) => ({ name, gate: findGate(catalog, name) }))
  return {
    list: named.map(({ name, gate }) => (gate ? { name, label: gate.spec.label, way: gate.spec.way } : { name, label: name })),
    print: JSON.stringify(named.map(({ name, gate }) => [name, gate && describe(gate, loaded)])),
  }
}

function describe({ plugin, spec, settings }: Contribution<'gate'>, { environment }: OpenedCatalog['loaded']): unknown {
  const { version, env } = plugin.manifest
  return { root: plugin.root, version, spec, settings: settings.value ?? null, env: env.map(({ name }) => environment.get(name) ?? null) }
}

function findGate(catalog: Pick<Catalog, 'find'>, name: string): Contribution<'gate'> | undefined {
  const [plugin, id = ''] = name.split(':')
  const found = catalog.find('gate', id)
  return found?.plugin.manifest.id === plugin ? found : undefined
}

/** Each once, when it is not there any more. */
function tellMissing(log: Log, before: readonly NamedGate[], now: readonly NamedGate[]): void {
  const known = new Set(before.filter(({ way }) => way === undefined).map(({ name }) => name))
  for (const { name, way } of now) {
    if (way !== undefined || known.has(name)) continue
    const next = `agent plugins why ${name.split(':')[0]} says why`
    log.warn('a gate of dashboard.gates is not installed or does not run, so nobody gets in by it', { gate: name, next })
  }
}
