import type { Clock, Context, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { createLiveLoaded, type LiveLoaded } from '#config/file/live-loaded.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { type Home, openHome } from '#config/home/home.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { openScope } from '#kernel/container.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { newId } from '#kernel/ids.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import type { Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { Models } from '#models/open.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
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
import { type Foundation, type Parts, recipes } from './agent-parts.ts'
import { enablePlatform } from './enable-platform.ts'
import { followGenerations } from './follow-generations.ts'
import { loadHomeCatalog } from './home-catalog.ts'
import type { Notices } from './notices.ts'
import type { PluginCommands } from './plugin-commands.ts'
import { createPluginHooks } from './plugin-hooks.ts'
import { createGenerations, type Generations } from './reload/generations.ts'
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
  const ledger = openLedger('agent', log, { disposeMs: 30_000 })
  ledger.add(() => logs.close(), 'logs')
  try {
    return await assemble({ options, home, loaded, clock, log, ledger }, live, read)
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}

async function assemble(base: Foundation, live: LiveLoaded, read: () => Promise<Loaded>): Promise<OpenAgent> {
  const { home, loaded, clock, log, ledger } = base
  const { installRoot, safeMode = false, ownCommands = [], note } = base.options
  const store = await openStore({
    file: home.files.state,
    durability: loaded.config.store.durability,
    clock,
    log: warnAloud(log, note),
    nativeBinding: nativeBinding({ folder: loaded.environment.get('AGENT_NATIVE_CACHE') }),
  })
  ledger.add(() => store.close(), 'store')
  const judge = (from: Loaded): Promise<Catalog> =>
    loadHomeCatalog({ installRoot, home, loaded: from, safeMode, ownCommands, quarantine: quarantineIn(store.kv) })
  const readAnew = async (): Promise<{ readonly loaded: Loaded; readonly catalog: Catalog }> => {
    const next = await read()
    return { loaded: next, catalog: await judge(next) }
  }
  const own = createGenerations({ live, catalog: await judge(live.now()), read: readAnew })
  const { catalog } = own
  const { parts } = openScope<Parts>(recipes(base, own, store))
  const { activator, commands, hooks, late, models, notices, toolbox, web } = parts
  ledger.add(() => late.close(), 'turns to be stored')
  ledger.add(() => activator.close(), 'plugins')
  ledger.add(
    activator.onState((change) => void hooks.call('plugin.state', change)),
    'plugin states',
  )
  ledger.add(() => hooks.close(), 'hooks')
  ledger.add(() => models.close(), 'models')
  ledger.add(() => web.close(), 'web backends')
  ledger.add(() => parts.commandSandbox.close(), 'sandbox')
  ledger.add(() => toolbox.close(), 'tools')
  ledger.add(() => commands.close(), 'commands of plugins')
  const { createContext, openContext, choose, hosts, sandbox, skills, turns } = parts
  const pluginHooks = createPluginHooks({ ...{ catalog, hooks, activator, openContext, clock }, newCallId: () => newId('call') })
  pluginHooks.renew()
  ledger.add(() => pluginHooks.close(), 'hooks of plugins')
  const followed = followGenerations(own, {
    ...{ toolbox, turns, activator, hosts, clock, log },
    consumers: { toolset: toolbox, 'web-backend': web, provider: models, commands },
    signal: ledger.signal,
  })
  const generations: Generations = {
    ...followed,
    adopt: (candidate, kept) => {
      followed.adopt(candidate, kept)
      pluginHooks.renew()
    },
  }
  const told = { ...store, sessions: tellEnds(store.sessions, hooks) }
  const isOfflineByDefault = (): boolean => isImplicit(choose)
  const close = async (): Promise<void> => void (await ledger.dispose())
  return {
    ...{ home, loaded, catalog, generations, activator, hosts, sandbox, hooks, store: told, models, toolbox, turns, commands, skills },
    ...{ onNotice: notices.onNotice, clock, log, choose, createContext, isOfflineByDefault, close },
  }
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
