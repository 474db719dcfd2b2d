import type { Clock, Context, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Checkpoints } from '#checkpoints/checkpoints.ts'
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
import { openInOrder } from '#kernel/open-in-order.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { AskAuxiliary } from '#models/auxiliary.ts'
import type { ModelFacts } from '#models/catalog/facts.ts'
import { hasModelFor } from '#models/has-model-for.ts'
import type { Models } from '#models/open.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { createModelChoice, type ModelWish } from '#models/select.ts'
import { createTitles, type SessionTitles } from '#models/titles/write-titles.ts'
import { openLogs } from '#observe/log.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { givenVariables } from '#skills/secrets/grants.ts'
import type { SkillWriting } from '#skills/writing/skill-writing.ts'
import { nativeBinding } from '#store/native.ts'
import { quarantineIn } from '#store/quarantine.ts'
import type { Sessions } from '#store/sessions.ts'
import { openStore } from '#store/sqlite/open.ts'
import type { Store } from '#store/store.ts'
import type { HostMemory } from '#tools/memory/memory.ts'
import type { Toolbox } from '#tools/toolbox/toolbox.ts'
import type { OpenAgentOptions } from './agent-options.ts'
import {
  createContexts,
  type Foundation,
  makeHosts,
  makeImages,
  makeModels,
  makeSkills,
  makeToolbox,
  makeTurns,
  makeWeb,
  openContexts,
} from './agent-parts.ts'
import { type ContextLength, makeContextEngines, makeLength } from './context-parts.ts'
import { createChildren } from './delegation/children.ts'
import { openLeftBehind } from './delegation/left-behind.ts'
import { enablePlatform } from './enable-platform.ts'
import { followGenerations } from './follow-generations.ts'
import { createPluginGates, type PluginGates } from './gates/plugin-gates.ts'
import { loadHomeCatalog } from './home-catalog.ts'
import { makeSkillWriting } from './home-skills.ts'
import { type LazyJobs, makeJobs } from './jobs/make-jobs.ts'
import { makeCheckpoints } from './make-checkpoints.ts'
import { makeMemory } from './make-memory.ts'
import { createAsks, makeAuxiliary, makeBook, makeFacts } from './model-parts.ts'
import { createNotices, type Notices } from './notices.ts'
import { createPluginNotifiers, type PluginNotifiers } from './notifiers/plugin-notifiers.ts'
import { type CommandSandboxes, openCommandSandboxes } from './open-command-sandbox.ts'
import { createPluginCommands, type PluginCommands } from './plugin-commands.ts'
import { createPluginHooks, type PluginHooks } from './plugin-hooks.ts'
import { createPluginPanels, type PluginPanels } from './plugin-panels.ts'
import { withProjectServers } from './project-servers/with-project-servers.ts'
import { createGenerations, type Generations } from './reload/generations.ts'
import { openStoredManifests, type StoredManifests } from './reload/stored-manifests.ts'
import { withReviews } from './review/with-reviews.ts'
import { findProblems } from './settings/find-problems.ts'
import { createLateCommits } from './turn/late-commits.ts'
import type { AgentTurns } from './turn/turns.ts'

/** Everything that a door needs to talk to the agent. */
export interface OpenAgent {
  readonly home: Home
  readonly loaded: Loaded
  readonly manifests: StoredManifests
  readonly catalog: Catalog
  /** Takes settings and plugins again. */
  readonly generations: Generations
  readonly activator: Activator
  /** The children of plugins that run outside of this process. */
  readonly hosts: ExtensionHosts | undefined
  /** What this machine can do about a sandbox. */
  readonly sandbox: Sandbox
  /** Starts programs in it, as the settings of the terminal say. */
  readonly commandSandboxes: CommandSandboxes
  readonly hooks: HookDispatcher
  readonly store: Store
  readonly models: Models<Contribution<'provider'>>
  /** What is known of models. */
  readonly facts: ModelFacts
  readonly toolbox: Toolbox
  /** What is remembered, by owner. */
  readonly memory: HostMemory
  /** What is done at a time. */
  readonly jobs: LazyJobs
  /** States of folders that one can go back to. */
  readonly checkpoints: Checkpoints
  readonly turns: AgentTurns
  readonly skills: HostSkills
  /** What the agent may do with them. */
  readonly skillWriting: SkillWriting
  /** Runs the slash commands of plugins. */
  readonly commands: PluginCommands
  /** Asks the panels of plugins. */
  readonly panels: PluginPanels
  /** Asks the gates of plugins who may come into the dashboard. */
  readonly gates: PluginGates
  /** Lets notifiers of plugins hear what has happened. */
  readonly notifiers: PluginNotifiers
  /** Tells which session a model has given a title. */
  readonly onTitled: SessionTitles['onTitled']
  /** Hears of what goes on behind the turns. */
  readonly onNotice: Notices['onNotice']
  readonly clock: Clock
  readonly log: Log
  choose(wish: ModelWish): ModelChoice
  /** How many tokens the model that answers now takes, and from how many on a conversation is made shorter. */
  readonly length: ContextLength
  /** True when nothing is configured, so that the offline model stands in. */
  isOfflineByDefault(): boolean
  /** Settings without effect, a sentence each: nobody would notice them, because the agent starts all the same. Takes 10 ms. */
  silentSettings(): Promise<readonly string[]>
  createContext(contribution: Contribution, ledger: Ledger): Promise<Context>
  close(): Promise<void>
}

/** What there is before the store is opened. */
type Given = Omit<Foundation, 'store' | 'generations' | 'catalog'>

/** Opens the agent of one home: settings, plugins, store, models, tools. What it opened is closed in reverse order. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
  const { clock = systemClock } = options
  const home = openHome(options)
  const read = async (tell = (_sentence: string): void => undefined): Promise<Loaded> => {
    const found = await loadConfig(home, options.environment, { ignoreUserConfig: options.ignoreUserConfig === true })
    const wanted = options.enable ? enablePlatform(found, options.enable) : found
    requireSound(wanted)
    return withOwnSettings(await withProjectServers(wanted, options, tell), options)
  }
  const live = createLiveLoaded(await read(options.note))
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
    return await assemble({ options, home, loaded, clock, log, ledger }, live, () => read())
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}

/** The settings as this process wants them. */
function withOwnSettings(loaded: Loaded, { model = loaded.config.model, mcpServers }: OpenAgentOptions): Loaded {
  return { ...loaded, config: { ...loaded.config, model, mcp_servers: { ...loaded.config.mcp_servers, ...mcpServers } } }
}

/** The parts of the agent in order: each may use those before it, and they are closed the other way round. A new part is one line here. */
async function assemble(given: Given, live: LiveLoaded, read: () => Promise<Loaded>): Promise<OpenAgent> {
  const { ledger, options } = given
  const parts = await openInOrder({ ...given, newCallId: () => newId('call'), asks: createAsks() }, ledger)
    .add('store', openHomeStore)
    .add('manifests', openHomeManifests)
    .add('generations', (before) => readGenerations(before, live, read))
    .add('catalog', ({ generations }) => generations.catalog)
    .add('hosts', makeHosts)
    .add('createContext', createContexts)
    .add('openContext', ({ createContext, log }) => openContexts(createContext, log))
    .add('late', ({ store, clock, log }) => createLateCommits(store.sessions, clock, log))
    .add('activator', ({ clock, log, hosts }) => createActivator({ clock, log, importEntry: options.importEntry, hosts }))
    .add('hooks', ({ clock, log }) => createHooks({ clock, log }))
    .add('states', ({ activator, hooks }) => ({ close: activator.onState((change) => void hooks.call('plugin.state', change)) }))
    .add('choose', createModelChoice)
    .add('notices', makeNotices)
    .add('skills', makeSkills)
    .add('sandbox', ({ clock }) => createSandbox({ clock }))
    .add('commandSandboxes', (before) => openCommandSandboxes({ ...before, ...options, hasChildren: before.hosts !== undefined }))
    .add('models', makeModels)
    .add('facts', makeFacts)
    .add('book', makeBook)
    .add('auxiliary', makeAuxiliary)
    .add('web', makeWeb)
    .add('images', makeImages)
    .add('length', makeLength)
    .add('contextEngines', makeContextEngines)
    .add('memory', makeMemory)
    .add('skillWriting', makeSkillWriting)
    .add('jobs', makeJobs)
    .add('notifiers', createPluginNotifiers)
    .add('toolbox', makeToolbox)
    .add('commands', createPluginCommands)
    .add('gates', createPluginGates)
    .add('checkpoints', makeCheckpoints)
    .add('childAgents', createChildren)
    .add('titles', makeTitles)
    .add('leftBehind', ({ store, notices: { tell }, clock, log }) => openLeftBehind({ ...store, tell, clock, log }))
    .add('turns', makeTurns)
    .add('panels', (before) => createPluginPanels({ ...before, services: options.panelServices }))
    .add('pluginHooks', openPluginHooks)
    .add('followed', ({ toolbox, web, images, contextEngines, memory, models, commands, gates, panels, notifiers, ...before }) =>
      followGenerations(before.generations, {
        ...{ ...before, toolbox, signal: ledger.signal },
        consumers: {
          ...{ toolset: toolbox, 'web-backend': web, image: images, context: contextEngines, memory },
          ...{ provider: models, commands, gate: gates, panel: panels, notifier: notifiers },
        },
      }),
    )
    .open()
  const { choose, followed, hooks, notices, pluginHooks, store } = parts
  return {
    ...parts,
    generations: {
      ...followed,
      adopt: (candidate, kept) => {
        followed.adopt(candidate, kept)
        pluginHooks.renew()
      },
    },
    ...{ onNotice: notices.onNotice, onTitled: parts.titles.onTitled },
    store: { ...store, sessions: tellEnds(store.sessions, hooks) },
    ...{ isOfflineByDefault: () => isImplicit(choose), silentSettings: () => listSilent(parts, options) },
    close: async () => void (await ledger.dispose()),
  }
}

async function listSilent(
  { loaded, catalog, home }: Pick<OpenAgent, 'loaded' | 'catalog' | 'home'>,
  { ownCommands = [] }: OpenAgentOptions,
): Promise<readonly string[]> {
  const found = await findProblems(loaded, catalog, ownCommands, () => givenVariables(home.files.skillGrants))
  return found.filter(({ withoutEffect }) => withoutEffect).map(({ key, problem }) => `${key} ${problem}`)
}

function openHomeManifests({ home, clock }: Given): StoredManifests {
  return openStoredManifests(home.files.pluginManifests, clock)
}

/** Settings and plugins as they are now, and how they are read again. */
async function readGenerations(
  { options, home, store, manifests }: Given & Pick<Foundation, 'store'> & Pick<OpenAgent, 'manifests'>,
  live: LiveLoaded,
  read: () => Promise<Loaded>,
): Promise<Generations> {
  const known = { quarantine: quarantineIn(store.kv), parseManifest: manifests.parse }
  const judge = (loaded: Loaded): Promise<Catalog> => loadHomeCatalog({ ...known, ...options, home, loaded })
  return createGenerations({
    live,
    catalog: await judge(live.now()),
    read: async () => {
      const loaded = await read()
      return { loaded, catalog: await judge(loaded) }
    },
  })
}

function makeNotices({ loaded, log }: Given): Notices {
  return createNotices({ wanted: () => loaded.config.background_process_notifications, secrets: loaded.environment.secrets, log })
}

function makeTitles({
  store: { sessions },
  auxiliary: ask,
  loaded,
  choose,
  memory,
  skills,
  skillWriting,
  notices: { tell },
  log,
}: Foundation & {
  readonly auxiliary: AskAuxiliary
  readonly choose: OpenAgent['choose']
  readonly memory: HostMemory
  readonly skills: HostSkills
  readonly skillWriting: SkillWriting
  readonly notices: Notices
}): SessionTitles {
  const wanted = (): boolean => {
    const { sessions: wish, auxiliary } = loaded.config
    return wish.auto_title && hasModelFor({ task: auxiliary.title_generation, choose })
  }
  const titles = createTitles({ sessions, ask, wanted, log })
  const every = (): number => (memory.offers('change') ? loaded.config.memory.nudge_interval : 0)
  const least = (): number => loaded.config.skills.creation_nudge_interval
  // While they are off they are not in the way of the turns, so it takes a restart to switch them on.
  if (loaded.config.memory.nudge_interval === 0 && least() === 0) return titles
  return withReviews(titles, {
    ...{ isOn: () => every() > 0 || least() > 0, log },
    load: async () => {
      const [{ createMemoryReview }, { createSkillReview }] = await Promise.all([
        import('./memory/review-memory.ts'),
        import('./skills/review-skills.ts'),
      ])
      const [given, writing] = [{ ask, tell, log }, skillWriting]
      return [createMemoryReview({ ...given, sessions, memory, every }), createSkillReview({ ...given, skills, writing, least })]
    },
  })
}

/** They are tapped at once, from manifests alone. */
function openPluginHooks(parts: Parameters<typeof createPluginHooks>[0]): PluginHooks {
  const hooks = createPluginHooks(parts)
  hooks.renew()
  return hooks
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
    branch: async (session, branch) => {
      const made = await sessions.branch(session, branch)
      if (branch.takesPlace) void hooks.call('session.end', { session, reason: 'branch' })
      return made
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
