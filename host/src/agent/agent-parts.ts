import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Context, Log, ProviderContext, ToolContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Checkpoints } from '#checkpoints/checkpoints.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import { writeEnvValue } from '#config/environment/env-file.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { ensureFolder, type Home } from '#config/home/home.ts'
import { listHomes, usualHome } from '#config/home/profiles.ts'
import { readVersion } from '#config/version.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import { createContext, requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { readContributionConfig } from '#kernel/catalog/contribution-config.ts'
import { createExtensionHosts, type ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import { askOwnServer, createReadyFetch } from '#kernel/first-fetch.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { newId } from '#kernel/ids.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import type { Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { AskAuxiliary } from '#models/auxiliary.ts'
import type { Book } from '#models/book.ts'
import type { ModelFacts } from '#models/catalog/facts.ts'
import { createSeesImages } from '#models/catalog/sees-images.ts'
import { openCredentials } from '#models/credentials/open-credentials.ts'
import { hasModelFor } from '#models/has-model-for.ts'
import { type Models, openModels } from '#models/open.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { ModelWish } from '#models/select.ts'
import { chainOf, createFallback } from '#models/stand-ins.ts'
import type { SessionTitles } from '#models/titles/write-titles.ts'
import { warnAloud } from '#observe/warn-aloud.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { quarantineIn } from '#store/quarantine.ts'
import type { Store } from '#store/store.ts'
import { type ApprovalOptions, createApprovals } from '#tools/approvals/approvals.ts'
import { createImages, type HostImages, limitImages } from '#tools/images/images.ts'
import type { HostMemory } from '#tools/memory/memory.ts'
import type { OpenedContext } from '#tools/opener.ts'
import { openToolbox, type Toolbox } from '#tools/toolbox/toolbox.ts'
import { createToolsetsOf } from '#tools/toolset-sets.ts'
import { createAddressRules } from '#tools/web/guard-address.ts'
import { limitWeb } from '#tools/web/limit-web.ts'
import { createWeb, type Web } from '#tools/web/web.ts'
import type { OpenAgentOptions } from './agent-options.ts'
import type { ContextEngines } from './context/engines.ts'
import { type ContextLength, makeContextFit } from './context-parts.ts'
import type { Children } from './delegation/children.ts'
import type { LeftBehind } from './delegation/left-behind.ts'
import { makeDelegation } from './delegation/make-delegation.ts'
import { openHomeSkills, type WithSkillWriting } from './home-skills.ts'
import { createBookPicture } from './images/book-picture.ts'
import { createDescribeImages } from './images/describe-images.ts'
import { createHidePictures } from './images/hide-pictures.ts'
import { createLooker } from './images/look-at-image.ts'
import { createPictureRule } from './images/picture-rule.ts'
import type { LazyJobs } from './jobs/make-jobs.ts'
import { createDangerJudge } from './judge-danger.ts'
import { createLogins } from './logins/limit-logins.ts'
import { memoryForTools } from './make-memory.ts'
import type { Asks } from './model-parts.ts'
import type { Notices } from './notices.ts'
import type { PluginNotifiers } from './notifiers/plugin-notifiers.ts'
import type { CommandSandboxes } from './open-command-sandbox.ts'
import type { Generations } from './reload/generations.ts'
import { makeRules } from './rules/make-rules.ts'
import { requireOwnVariable } from './settings/own-variable.ts'
import { limitSkills } from './skills/limit-skills.ts'
import { createSkillOffer } from './skills/offer-skills.ts'
import type { LateCommits } from './turn/late-commits.ts'
import { type AgentTurns, createTurns } from './turn/turns.ts'

/** What is there before anything is made of it. */
export interface Foundation {
  readonly options: OpenAgentOptions
  readonly home: Home
  readonly loaded: Loaded
  readonly clock: Clock
  readonly log: Log
  readonly ledger: Ledger
  readonly store: Store
  readonly generations: Generations
  readonly catalog: Catalog
}

/** Makes the context of a contribution, which ends with the ledger. */
export type CreateContext = (contribution: Contribution, ledger: Ledger) => Promise<Context>

/** The children of plugins that run outside of this process; none where plugin code is taken from source. */
export function makeHosts({ options, home, clock, log, generations, store }: Foundation): ExtensionHosts | undefined {
  if (options.importEntry && options.childProgram === undefined) return undefined
  return createExtensionHosts({
    program: options.childProgram ?? join(options.installRoot, 'host', 'dist', 'extension-host.mjs'),
    homes: () => listHomes(home, options.environment),
    userHome: homedir(),
    isOwnDoor: options.isOwnDoor,
    data: home.files.pluginsData,
    memories: home.files.memories,
    workspace: options.workspace ?? home.files.workspace,
    get settings() {
      return generations.pluginSettings()
    },
    get plugins() {
      return generations.catalog.plugins.flatMap(({ state, installed }) => (installed && state === 'ready' ? [installed] : []))
    },
    quarantine: quarantineIn(store.kv),
    clock,
    log,
  })
}

/** The part of a context that every plugin gets. */
export function createContexts({
  home,
  clock,
  log,
  options,
  generations,
  store,
  asks,
}: Foundation & { readonly asks: Asks }): CreateContext {
  const agentVersion = readVersion(options.installRoot)
  const fetch = createReadyFetch(globalThis.fetch, () => askOwnServer(globalThis.fetch, clock))
  return async (contribution, ledger) => {
    const plugin = contribution.plugin.manifest.id
    const { environment } = generations.loadedFor(contribution)
    return createContext({
      contribution,
      config: await readContributionConfig(contribution),
      secrets: {
        get: async (name) => {
          const value = environment.get(name)
          if (value === undefined) throw fail('ENV_MISSING', { name, file: home.files.env })
          return value
        },
        find: async (name) => environment.get(name),
        set: async (name, value) => {
          requireOwnVariable(contribution.plugin, name, generations.catalog)
          writeEnvValue(home.files.env, name, value)
        },
      },
      state: {
        get: (key) => store.kv.get(plugin, key),
        set: (key, value) => store.kv.set(plugin, key, value),
        delete: (key) => store.kv.delete(plugin, key),
      },
      models: asks,
      log,
      clock,
      ledger,
      profile: home.profile,
      agentVersion,
      fetch,
    })
  }
}

interface WithActivator extends Foundation {
  readonly activator: Activator
  readonly createContext: CreateContext
}

export function makeModels(parts: WithActivator): Models<Contribution<'provider'>> {
  const { home, loaded, clock, log, ledger, catalog } = parts
  const owned = new Map<Contribution, Ledger>()
  ledger.add(async () => void (await Promise.all([...owned.values()].map((own) => own.dispose()))), 'providers')
  return openModels<Contribution<'provider'>>({
    catalog,
    activator: parts.activator,
    get config() {
      return loaded.config
    },
    environment: loaded.environment,
    environmentFile: home.files.env,
    clock,
    log,
    timeoutMs: loaded.config.agent.api_timeout * 1000,
    newCallId: () => newId('call'),
    credential: openCredentials({
      files: authFiles(home),
      loggedIn: () => loaded.loggedIn,
      clock,
      signal: ledger.signal,
      keepSecret: (secret) => loaded.environment.keepSecret(secret),
      random: Math.random,
      strategyOf: (provider) => loaded.config.credential_pool_strategies[provider] ?? 'fill_first',
    }),
    context: async (contribution) => {
      const own = openLedger(contribution.plugin.manifest.id, log)
      owned.set(contribution, own)
      return Object.freeze({ ...(await parts.createContext(contribution, own)), environment: environmentFor(contribution, loaded) })
    },
    release: async (contribution) => {
      await owned.get(contribution)?.dispose()
      owned.delete(contribution)
    },
  })
}

function environmentFor(contribution: Contribution, { environment }: Foundation['loaded']): ProviderContext['environment'] {
  return async () => {
    requireHostVerb(contribution, 'environment')
    return environment.forChildren()
  }
}

export function makeSkills({ home, loaded, log, options, catalog }: Foundation): HostSkills {
  const { note, safeMode = false } = options
  return openHomeSkills({ home, catalog, loaded, safeMode, log: warnAloud(log, note) })
}

interface ToolboxParts extends WithActivator, Judging, WithAuxiliary, WithSkillWriting {
  readonly sandbox: Sandbox
  readonly commandSandboxes: CommandSandboxes
  readonly hooks: HookDispatcher
  readonly web: Web
  readonly images: HostImages
  readonly memory: HostMemory
  readonly notices: Notices
  readonly notifiers: Pick<PluginNotifiers, 'raise'>
  readonly skills: HostSkills
  readonly jobs: LazyJobs
}

export function makeToolbox(parts: ToolboxParts): Toolbox {
  const { loaded, clock, log, catalog } = parts
  const login = createLogins(parts)
  return openToolbox({
    catalog,
    activator: parts.activator,
    approvals: createApprovals(approvalOptions(parts)),
    hooks: parts.hooks,
    ...{ offersWeb: parts.web.offers, secrets: loaded.environment.secrets },
    offersImages: parts.images.offers,
    ...memoryForTools(parts),
    search: () => loaded.config.tools.tool_search,
    ...{ clock, log },
    openContext: async (contribution) => {
      const own = openLedger(contribution.plugin.manifest.id, log)
      const context: ToolContext = Object.freeze({
        ...(await parts.createContext(contribution, own)),
        environment: environmentFor(contribution, loaded),
        notify: (notice) => {
          requireHostVerb(contribution, 'notify')
          parts.notices.tell(notice)
        },
        raise: (event) => parts.notifiers.raise(contribution, event),
        sandbox: parts.commandSandboxes.of(contribution),
        login: login(contribution),
        skills: limitSkills(parts.skills, () => requireHostVerb(contribution, 'skills')),
        web: limitWeb(parts.web, () => requireHostVerb(contribution, 'web')),
        images: limitImages(parts.images, () => requireHostVerb(contribution, 'images')),
      })
      return { context, close: async () => void (await own.dispose()) }
    },
  })
}

interface WithContexts extends WithActivator {
  readonly openContext: (contribution: Contribution) => Promise<OpenedContext<Context>>
}

export function makeWeb({ loaded, clock, log, catalog, activator, openContext }: WithContexts): Web {
  return createWeb({
    catalog,
    wanted: () => loaded.config.web.backend,
    ...createAddressRules({
      settings: () => loaded.config.security,
      lookup: async (hostname) => {
        const { lookup } = await import('node:dns/promises')
        return (await lookup(hostname, { all: true })).map(({ address }) => address)
      },
    }),
    activator,
    clock,
    log,
    openContext,
  })
}

interface WithBook {
  readonly book: Book
}

interface WithAuxiliary {
  readonly auxiliary: AskAuxiliary
  readonly facts: ModelFacts
}

export function makeImages({
  loaded,
  clock,
  log,
  catalog,
  activator,
  openContext,
  auxiliary,
  facts,
  choose,
  book,
}: WithContexts & WithAuxiliary & WithBook & Pick<Judging, 'choose'>): HostImages {
  return createImages({
    ...{ catalog, activator, openContext, clock, log, book: createBookPicture(book) },
    wanted: () => loaded.config.image.backend,
    mayLook: () => hasModelFor({ task: loaded.config.auxiliary.vision, choose }),
    describe: createLooker(auxiliary, createSeesImages(facts)),
  })
}

/** The same contexts, each with a separate ledger. */
export function openContexts(createContext: CreateContext, log: Log): WithContexts['openContext'] {
  return async (contribution) => {
    const own = openLedger(contribution.plugin.manifest.id, log)
    return { context: await createContext(contribution, own), close: async () => void (await own.dispose()) }
  }
}

interface Judging extends Foundation {
  readonly models: Models<Contribution<'provider'>>
  readonly choose: (wish: ModelWish) => ModelChoice
}

function approvalOptions({ loaded, home, log, options, auxiliary, sandbox }: ToolboxParts): ApprovalOptions {
  const { approvals, command_allowlist: allowlist } = loaded.config
  const saved = new Set(allowlist)
  return {
    ...approvals,
    allowlist,
    ...{ home: home.path, userHome: homedir(), otherHomes: [usualHome(options.environment), ...(options.otherHomes ?? [])] },
    contained: async () => loaded.config.terminal.sandbox !== 'off' && (await sandbox.level()).works,
    ownProcesses: [process.pid, process.ppid],
    log,
    secrets: loaded.environment.secrets,
    judge: createDangerJudge(auxiliary, log),
    allowAlways: async (names) => {
      const { setConfigValue } = await import('#config/edit.ts')
      // An earlier answer of this run stays.
      for (const name of names) saved.add(name)
      setConfigValue({ home, processEnvironment: options.environment }, 'command_allowlist', JSON.stringify([...saved]))
    },
  }
}

interface TurnsParts extends Judging, WithAuxiliary, WithBook {
  readonly contextEngines: ContextEngines
  readonly length: ContextLength
  readonly images: HostImages
  readonly toolbox: Toolbox
  readonly hooks: HookDispatcher
  readonly skills: HostSkills
  readonly memory: HostMemory
  readonly late: LateCommits
  readonly titles: SessionTitles
  readonly checkpoints: Checkpoints
  readonly leftBehind: LeftBehind
  readonly childAgents: Children
}

export function makeTurns(parts: TurnsParts): AgentTurns {
  const { home, loaded, clock, log, options, catalog, store, models } = parts
  const { config, environment } = loaded
  const takes = createPictureRule(() => loaded.config.agent.image_input, createSeesImages(parts.facts))
  const ephemeral = environment.get('AGENT_EPHEMERAL_SYSTEM_PROMPT')
  const workspace = options.workspace ?? ensureFolder(home.files.workspace)
  const rules = makeRules({ loaded, options, clock, workspace, identity: home.files.identity })
  return createTurns({
    ...{ sessions: store.sessions, book: parts.book, late: parts.late, titles: parts.titles },
    ...{ models, delegation: makeDelegation(parts) },
    fallback: createFallback({ models, chain: () => chainOf(loaded.config), clock, log }),
    get toolbox() {
      return parts.toolbox.current()
    },
    ...{ hooks: parts.hooks, clock, log, choose: parts.choose },
    ...{ checkpoints: parts.checkpoints, workspace },
    maxSteps: config.agent.max_turns,
    apiTimeoutMs: config.agent.api_timeout * 1000,
    approvalTimeoutMs: config.approvals.timeout * 1000,
    random: Math.random,
    ephemeral,
    reasoning: config.agent.reasoning_effort === '' ? undefined : config.agent.reasoning_effort,
    toolsetsOf: createToolsetsOf({ loaded, catalog }),
    skills: createSkillOffer(parts),
    rules: rules.atStart,
    memory: async (owner, signal) => (options.safeMode || options.ignoreRules ? '' : parts.memory.prompt(owner, signal)),
    describeImages: createDescribeImages({ takes, look: parts.images.describe, served: parts.book.served }),
    hidePictures: createHidePictures(takes),
    ...makeContextFit({ ...parts, rules: rules.reader }),
    hintFor: (source) => catalog.find('platform', source)?.spec.promptHint,
  })
}
