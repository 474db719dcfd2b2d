import { existsSync } from 'node:fs'
import { detailOf, toWireError } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { environmentOfMachine } from '#config/environment/of-machine.ts'
import { type Home, homeOf } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { listProfiles } from '#config/home/profiles.ts'
import { type Gateway, openGateway } from '#gateway/gateway.ts'
import type { Company } from '#gateway/gateway-options.ts'
import { createSharedDoors } from '#gateway/http/shared-doors.ts'
import { alreadyRunning, findInstance, isWanted, noteStopped } from '#gateway/instance/instance.ts'
import { createFaults, type FaultSource } from '#gateway/links/faults.ts'
import type { Activity } from '#gateway/process/idle-collector.ts'
import type { ServedProfile } from '#gateway/reload/reload-report.ts'
import { systemClock } from '#kernel/clock.ts'
import { describeServed } from '#rpc/gateway/describe-served.ts'
import { applySafeMode, type SafeModeFlags } from '#rpc/home/safe-mode.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { seedHome } from '#rpc/skills/seed-home.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'

export interface ServingOptions extends HomeContext {
  readonly flags: SafeModeFlags
  /** The agent of the default profile. */
  readonly first: OpenAgent
  /** Says what became of a profile. */
  readonly out: (text: string) => void
  readonly source?: FaultSource
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
  /** How the agent of a profile is opened; absent: as this program does. */
  readonly open?: typeof openAgent
}

/** The profiles beside the default one, in the process of its gateway. */
export interface Serving {
  /** What the gateway of the default profile gets of it. */
  readonly company: Company
  /** Opens the gateways of all that are wanted, side by side. */
  start(): Promise<void>
  /** What all turns of this process do. */
  activity(): Activity
  close(): Promise<void>
}

interface Running {
  readonly agent: OpenAgent
  readonly gateway: Gateway
}

interface Entry {
  readonly state: ServedProfile['state']
  readonly error?: unknown
  readonly running?: Running
}

/** Opens an agent and a gateway for each profile; they share the process, the listeners of the default profile and nothing else. */
export function openServing(options: ServingOptions): Serving {
  const { first, source = process } = options
  const mostListeners = process.getMaxListeners()
  // The logs of each profile hear of the end of the process.
  process.setMaxListeners(0)
  const doors = createSharedDoors(first.loaded.config.gateway.http)
  const profiles = createProfiles(options, (profile, leave) => ({
    openDoor: doors.of(profile),
    faults,
    guest: { by: defaultProfile, leave },
  }))
  const agents = (): readonly OpenAgent[] => [first, ...profiles.agents()]
  const faults = createFaults(source, () => agents().flatMap(({ loaded }) => loaded.environment.secrets()))
  return {
    company: { openDoor: doors.own, faults, guests: { list: profiles.list, renew: profiles.renew } },
    // What went wrong is in the log.
    start: async () => void (await profiles.renew().catch(() => undefined)),
    activity: () => sum(agents().map(({ turns }) => turns.activity())),
    close: async () => {
      await profiles.close()
      await doors.close()
      process.setMaxListeners(mostListeners)
    },
  }
}

interface Profiles {
  agents(): readonly OpenAgent[]
  list(): readonly ServedProfile[] | undefined
  renew(): Promise<readonly ServedProfile[]>
  close(): Promise<void>
}

/** Opens and closes those that there are, one change after the other. */
function createProfiles(options: ServingOptions, companyOf: (profile: string, leave: () => void) => Company): Profiles {
  const { first, out, environment } = options
  const entries = new Map<string, Entry>()
  let [closed, looked] = [false, false]
  let last: Promise<unknown> = Promise.resolve()
  const queue = <T>(change: () => Promise<T>): Promise<T> => {
    const next = last.then(change)
    last = next.catch((error: unknown) => first.log.error('the profiles could not be looked after', { error: detailOf(error) }))
    return next
  }
  const close = async (profile: string, state: Entry['state']): Promise<void> => {
    const running = entries.get(profile)?.running
    if (!running) return
    entries.set(profile, { state })
    await closeProfile(running)
    // Its last notes may have made a folder again that somebody has removed.
    const { home } = running.agent
    if (state === 'gone' && existsSync(home.path)) noteStopped(home, systemClock)
  }
  // Who asks for it notes whether that was meant to last.
  const leave = (profile: string) => (): void => void queue(() => close(profile, 'stopped')).catch(() => undefined)
  const serve = async (profile: string): Promise<void> => {
    const entry = await openEntry(options, profile, companyOf(profile, leave(profile)))
    entries.set(profile, entry)
    out(`  ${describeServed(show([profile, entry]))}`)
  }
  const showAll = (): readonly ServedProfile[] => [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(show)
  const renew = async (): Promise<readonly ServedProfile[]> => {
    if (closed) return []
    const names = listProfiles(environment).flatMap(({ name }) => (name === defaultProfile ? [] : name))
    const gone = [...entries.keys()].filter((name) => !names.includes(name))
    const missing = names.filter((name) => !entries.get(name)?.running)
    for (const name of missing) entries.set(name, { state: 'opening' })
    looked = true
    await Promise.all([...gone.map((name) => close(name, 'gone')), ...missing.map(serve)])
    const changed = showAll().filter(({ profile }) => gone.includes(profile) || missing.includes(profile))
    for (const name of gone) entries.delete(name)
    return changed
  }
  return {
    agents: () => [...entries.values()].flatMap(({ running }) => running?.agent ?? []),
    list: () => (looked ? showAll() : undefined),
    renew: () => queue(renew),
    close: async () => {
      closed = true
      await last
      await Promise.all([...entries.keys()].map((name) => close(name, 'stopped')))
    },
  }
}

function show([profile, { state, error, running }]: readonly [string, Entry]): ServedProfile {
  return { profile, state, url: running?.gateway.url ?? '', ...(error === undefined ? {} : { error: toWireError(error) }) }
}

async function openEntry(options: ServingOptions, profile: string, company: Company): Promise<Entry> {
  try {
    const home = homeOf(options.first.home.root, profile)
    if (!isWanted(home, 'running', systemClock)) return { state: 'stopped' }
    return { state: 'served', running: await openProfile(options, home, company) }
  } catch (error) {
    return { state: 'failed', error }
  }
}

/** Nothing of the environment that the process was started with reaches it but what belongs to the machine. */
async function openProfile(options: ServingOptions, home: Home, company: Company): Promise<Running> {
  const { installRoot, signal, flags, note, locks, open = openAgent } = options
  const running = findInstance(home)
  if (running) throw alreadyRunning(home, running)
  const { profile } = home
  const environment = { ...environmentOfMachine(options.environment), AGENT_HOME: home.path }
  const context: HomeContext = { installRoot, environment, profile, signal, note: (text) => note(`${profile}: ${text}`) }
  seedHome(context, flags)
  const agent = await open({
    ...{ installRoot, profile, note: context.note, logName: 'gateway', ownCommands: ownNames },
    ...applySafeMode(context, flags),
  })
  try {
    const services = createSlashServices(context, agent)
    return { agent, gateway: await openGateway({ ...agent, services, random: Math.random, company, ...(locks ? { locks } : {}) }) }
  } catch (error) {
    await agent.close()
    throw error
  }
}

async function closeProfile({ agent, gateway }: Running): Promise<void> {
  try {
    await gateway.close()
  } finally {
    await agent.close()
  }
}

function sum(all: readonly Activity[]): Activity {
  const add = (name: keyof Activity): number => all.reduce((total, each) => total + each[name], 0)
  return { running: add('running'), finished: add('finished') }
}
