import type { Clock, Context, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { createLiveLoaded, type LiveLoaded } from '#config/file/live-loaded.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { type Home, openHome } from '#config/home/home.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import { type Activator, createActivator } from '#kernel/activation/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import { createHooks, type HookDispatcher } from '#kernel/hooks/hooks.ts'
import { newId } from '#kernel/ids.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { Models } from '#models/open.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { chooseModel } from '#models/select.ts'
import { openLogs } from '#observe/log.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { nativeBinding } from '#store/native.ts'
import { quarantineIn } from '#store/quarantine.ts'
import type { Sessions } from '#store/sessions.ts'
import { openStore } from '#store/sqlite/open.ts'
import type { Store } from '#store/store.ts'
import type { Toolbox } from '#tools/toolbox/toolbox.ts'
import type { OpenAgentOptions } from './agent-options.ts'
import {
  createContexts,
  type Foundation,
  makeHosts,
  makeModels,
  makeSkills,
  makeToolbox,
  makeTurns,
  makeWeb,
  openContexts,
} from './agent-parts.ts'
import { enablePlatform } from './enable-platform.ts'
import { followGenerations } from './follow-generations.ts'
import { loadHomeCatalog } from './home-catalog.ts'
import { createNotices, type Notices } from './notices.ts'
import { openCommandSandboxes } from './open-command-sandbox.ts'
import { createPluginCommands, type PluginCommands } from './plugin-commands.ts'
import { createPluginHooks } from './plugin-hooks.ts'
import { createGenerations, type Generations } from './reload/generations.ts'
import { createLateCommits } from './turn/late-commits.ts'
import type { AgentTurns } from './turn/turns.ts'

/** Everything that a door needs to talk to the agent. */
export interface OpenAgent {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  /** Takes settings and plugins again. */
  readonly generations: Generations
  readonly activator: Activator
  /** The children of plugins that run outside of this process. */
  readonly hosts: ExtensionHosts | undefined
  /** What this machine can do about a sandbox. */
  readonly sandbox: Sandbox
  readonly hooks: HookDispatcher
  readonly store: Store
  readonly models: Models<Contribution<'provider'>>
  readonly toolbox: Toolbox
  readonly turns: AgentTurns
  readonly skills: HostSkills
  /** Runs the slash commands of plugins. */
  readonly commands: PluginCommands
  /** Hears of what goes on behind the turns. */
  readonly onNotice: Notices['onNotice']
  readonly clock: Clock
  readonly log: Log
  choose(wish: { provider?: string; model?: string }): ModelChoice
  /** True when nothing is configured, so that the offline model stands in. */
  isOfflineByDefault(): boolean
  createContext(contribution: Contribution, ledger: Ledger): Promise<Context>
  close(): Promise<void>
}

/** What there is before the store is opened. */
type Given = Omit<Foundation, 'store' | 'generations' | 'catalog'>

/** Opens the agent of one home: settings, plugins, store, models, tools. What it opened is closed in reverse order. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
  const { clock = systemClock } = options
  const home = openHome(options)
  const read = async (): Promise<Loaded> => {
    const found = await loadConfig(home, options.environment, { ignoreUserConfig: options.ignoreUserConfig === true })
    const wanted = options.enable ? enablePlatform(found, options.enable) : found
    requireSound(wanted)
    return wanted
  }
  const live = createLiveLoaded(await read())
  const { loaded } = live
  const logs = openLogs({
    folder: home.files.logs,
    level: loaded.config.logging.level,
    maxSizeMb: loaded.config.logging.max_size_mb,
    backupCount: loaded.config.logging.backup_count,
    mask: loaded.environment.secrets,
  })
  const log = logs.log(options.logName ?? 'agent')
  for (const { file, line, key, problem } of loaded.problems.filter(({ level }) => level === 'warning'))
    log.warn(`${file}${line > 0 ? `:${line}` : ''}: ${key}: ${problem}`)
  const open = loaded.problems.find(({ key }) => key === 'its rights')
  if (open) options.note?.(`${open.file}: ${open.key} ${open.problem}.`)
  const ledger = openLedger('agent', log, { disposeMs: 30_000 })
  ledger.add(() => logs.close(), 'logs')
  try {
    return await assemble({ options, home, loaded, clock, log, ledger }, live, read)
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}

/** The parts of the agent in the order in which they are made; they are closed the other way round. */
async function assemble(given: Given, live: LiveLoaded, read: () => Promise<Loaded>): Promise<OpenAgent> {
  const { options, home, loaded, clock, log, ledger } = given
  const keep = <Part extends { close(): void | Promise<void> }>(label: string, part: Part): Part => {
    ledger.add(() => part.close(), label)
    return part
  }
  const store = keep('store', await openHomeStore(given))
  const judge = (from: Loaded): Promise<Catalog> => loadHomeCatalog({ ...options, home, loaded: from, quarantine: quarantineIn(store.kv) })
  const readAgain = async (): Promise<{ readonly loaded: Loaded; readonly catalog: Catalog }> => {
    const next = await read()
    return { loaded: next, catalog: await judge(next) }
  }
  const own = createGenerations({ live, catalog: await judge(live.now()), read: readAgain })
  const base = { ...given, store, generations: own, catalog: own.catalog, newCallId: () => newId('call') }
  const { importEntry } = options
  const hosts = makeHosts(base)
  const createContext = createContexts(base)
  const contexts = { ...base, hosts, createContext, openContext: openContexts(createContext, log) }
  const late = keep('turns to be stored', createLateCommits(store.sessions, clock, log))
  const activator = keep('plugins', createActivator({ clock, log, importEntry, hosts }))
  const hooks = keep('hooks', createHooks({ clock, log }))
  ledger.add(
    activator.onState((change) => void hooks.call('plugin.state', change)),
    'plugin states',
  )
  const choose: OpenAgent['choose'] = (wish) => chooseModel({ catalog: own.catalog, ...loaded }, wish)
  const wanted = (): Loaded['config']['background_process_notifications'] => loaded.config.background_process_notifications
  const notices = createNotices({ wanted, secrets: loaded.environment.secrets, log })
  const sandbox = createSandbox({ clock })
  const { environment } = options
  const commandSandboxes = keep('sandbox', openCommandSandboxes({ ...base, environment, sandbox, hasChildren: hosts !== undefined }))
  const parts = { ...contexts, late, activator, hooks, choose, notices, skills: makeSkills(base), sandbox, commandSandboxes }
  const models = keep('models', makeModels(parts))
  const web = keep('web backends', makeWeb(parts))
  const toolbox = keep('tools', makeToolbox({ ...parts, models, web }))
  const commands = keep('commands of plugins', createPluginCommands(parts))
  const turns = makeTurns({ ...parts, models, toolbox })
  const pluginHooks = keep('hooks of plugins', createPluginHooks(parts))
  pluginHooks.renew()
  const consumers = { toolset: toolbox, 'web-backend': web, provider: models, commands }
  const followed = followGenerations(own, { ...parts, toolbox, turns, consumers, signal: ledger.signal })
  const generations: Generations = {
    ...followed,
    adopt: (candidate, kept) => {
      followed.adopt(candidate, kept)
      pluginHooks.renew()
    },
  }
  return {
    ...{ ...parts, generations, models, toolbox, commands, turns, onNotice: notices.onNotice },
    store: { ...store, sessions: tellEnds(store.sessions, hooks) },
    isOfflineByDefault: () => isImplicit(choose),
    close: async () => void (await ledger.dispose()),
  }
}

function openHomeStore({ options, home, loaded, clock, log }: Given): Promise<Store> {
  return openStore({
    file: home.files.state,
    durability: loaded.config.store.durability,
    clock,
    log: warnAloud(log, options.note),
    nativeBinding: nativeBinding({ folder: loaded.environment.get('AGENT_NATIVE_CACHE') }),
  })
}

/** Tells hooks about every end of a session. */
function tellEnds(sessions: Sessions, hooks: HookDispatcher): Sessions {
  return {
    ...sessions,
    end: async (session, reason) => {
      await sessions.end(session, reason)
      void hooks.call('session.end', { session, reason })
    },
  }
}

/** Without any provider at all every choice ends in an error, which is not the same as the offline model standing in. */
function isImplicit(choose: OpenAgent['choose']): boolean {
  try {
    return choose({}).implicit
  } catch (error) {
    if (isAgentError(error)) return false
    throw error
  }
}
