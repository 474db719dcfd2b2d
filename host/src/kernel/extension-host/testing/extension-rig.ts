import { join } from 'node:path'
import type {
  AuxiliaryModels,
  Clock,
  Context,
  Log,
  ManifestInput,
  OpenToolset,
  ToolContext,
  ToolResult,
  Toolset,
  Wire,
} from '@agent/plugin-sdk'
import { type Activator, createActivator } from '../../activation/activate.ts'
import { createContext } from '../../activation/plugin-context.ts'
import type { Catalog, Contribution } from '../../catalog/catalog.ts'
import { systemClock } from '../../clock.ts'
import type { IsOwnDoor } from '../../egress/own-doors.ts'
import type { Installed } from '../../installed/manifest-file.ts'
import type { QuarantinePort } from '../../isolation/faults.ts'
import type { IsolationSettings, PluginEntry } from '../../isolation/permission-set.ts'
import { type Ledger, openLedger } from '../../ledger.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { openPluginFolder, type PluginFolder, toolsetOf } from '../../testing/plugin-folder.ts'
import type { StartChild } from '../child-process.ts'
import { createExtensionHosts, type ExtensionHosts } from '../extension-hosts.ts'

export interface RigPlugin {
  readonly id: string
  /** Body of the tool: gets `args`, `call` and `context`, answers text. */
  readonly tool?: string
  /** Whole source of the entry, where the plugin is no toolset with one tool. */
  readonly source?: string
  readonly manifest?: Partial<ManifestInput>
  readonly entry?: PluginEntry
}

export interface RigOptions {
  readonly program: string
  readonly startChild?: StartChild
  readonly clock?: Clock
  readonly plugins: readonly RigPlugin[]
  /** Without one unless told. */
  readonly sandbox?: 'auto' | 'required' | 'off'
  readonly isOwnDoor?: IsOwnDoor
  /** Of Node, as far as children get them. */
  readonly flags?: ReadonlySet<string>
  /** A program in the place of bwrap. */
  readonly bwrap?: string
  /** Folder of the person, in which there may be other homes of the agent. */
  readonly person?: { readonly folder: string; readonly homes: readonly string[] }
}

/** Extension hosts over real children, with plugins that the test wrote. */
export interface ExtensionRig extends AsyncDisposable {
  readonly folder: PluginFolder
  readonly hosts: ExtensionHosts
  readonly activator: Activator
  readonly catalog: Catalog
  readonly lines: readonly string[]
  readonly quarantined: ReadonlyMap<string, Wire>
  contribution(kind: 'platform' | 'provider' | 'toolset', id: string): Contribution
  context(contribution: Contribution): { readonly context: Context; readonly ledger: Ledger }
  /** Runs the one tool of a toolset plugin; its toolset is opened once. Answers its text. */
  run(id: string, args?: unknown): Promise<string>
  /** What is installed and set from now on. */
  change(now: { readonly settings?: IsolationSettings; readonly plugins?: readonly Installed[] }): void
  /** What `agent plugins enable` does to a quarantine. */
  lift(plugin: string): void
  /** Lets time pass at once, as far as pauses between tries are concerned. */
  skip(ms: number): void
  /** Waits until it holds. */
  until(holds: () => boolean): Promise<void>
}

export const toolSource = (id: string, tool: string): string =>
  `export default { open: async (context) => ({ tools: { ${JSON.stringify(id)}: async ({ args }, call) => ({ ok: true, text: String(await (async () => { ${tool} })()) }) } }) }`

const models: AuxiliaryModels = { ask: async ({ text }) => `a model on ${text}` }

export async function openExtensionRig({
  program,
  startChild,
  clock: real = systemClock,
  plugins,
  sandbox = 'off',
  bwrap,
  isOwnDoor,
  flags,
  person,
}: RigOptions): Promise<ExtensionRig> {
  const folder = openPluginFolder()
  const entries = writePlugins(folder, plugins)
  const catalog = await folder.load({ settings: { entries, deny: [], sandbox } })
  const { log, lines } = openLog()
  const quarantined = new Map<string, Wire>()
  let skipped = 0
  const clock: Clock = { ...real, now: () => Date.now() + skipped }
  const current = {
    settings: { entries, sandbox },
    plugins: catalog.plugins.flatMap(({ installed }) => installed ?? []),
  }
  const hosts = createExtensionHosts({
    ...{ program, startChild, isOwnDoor, ...(flags && { flags }) },
    homes: () => [folder.home, ...(person?.homes ?? [])],
    userHome: person?.folder ?? join(folder.home, 'person'),
    ...{ data: join(folder.home, 'plugins', 'data'), memories: join(folder.home, 'memories') },
    workspace: join(folder.home, 'workspace'),
    get settings() {
      return current.settings
    },
    get plugins() {
      return current.plugins
    },
    ...(bwrap === undefined ? {} : { sandbox: createSandbox({ clock: systemClock, bwrap }) }),
    quarantine: quarantineIn(quarantined),
    ...{ clock, log },
  })
  const activator = createActivator({ clock, log, hosts })
  const ledgers: Ledger[] = []
  const opened = new Map<string, Promise<OpenToolset>>()

  const rig: ExtensionRig = {
    ...{ folder, hosts, activator, catalog, lines, quarantined },
    contribution(kind, id) {
      const found = catalog.find(kind, id)
      if (!found) throw new Error(`${kind}:${id} is not ready: ${catalog.plugins.map(({ reason }) => reason?.text).join(', ')}`)
      return found
    },
    context(contribution) {
      const ledger = openLedger(contribution.plugin.manifest.id, log)
      ledgers.push(ledger)
      const context = createContext({
        ...{ contribution, config: {}, log, clock: systemClock, ledger, profile: 'default', agentVersion: '1.4.0' },
        ...{ secrets: { get: async () => 'hush', find: async () => 'hush', set: async () => undefined }, models },
        state: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
      })
      return { context, ledger }
    },
    async run(id, args = {}) {
      const contribution = rig.contribution('toolset', id)
      const opening = opened.get(id) ?? openToolset(rig, contribution)
      opened.set(id, opening)
      const run = (await opening).tools[id]
      const toolCall = { ...{ id: 'tc', args, session: 's', turn: 't', workspace: '/' }, progress: () => undefined, ask: async () => '' }
      const result = await (run as unknown as (toolCall: object, call: object) => Promise<ToolResult>)(toolCall, newCall())
      return result.ok ? result.text : result.error.code
    },
    change: (now) => Object.assign(current, now),
    lift: (plugin) => void quarantined.delete(plugin),
    skip(ms) {
      skipped += ms
    },
    async until(holds) {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    async [Symbol.asyncDispose]() {
      for (const ledger of ledgers) await ledger.dispose()
      await activator.close()
      folder[Symbol.dispose]()
    },
  }
  return rig
}

function quarantineIn(quarantined: Map<string, Wire>): QuarantinePort {
  return {
    get: async (plugin) => quarantined.get(plugin),
    // Like a store, which takes a moment.
    set: async (plugin, value) => {
      await new Promise((resolve) => setImmediate(resolve))
      quarantined.set(plugin, value)
    },
    delete: async (plugin) => void quarantined.delete(plugin),
  }
}

function writePlugins(folder: PluginFolder, plugins: readonly RigPlugin[]): Record<string, PluginEntry> {
  const entries: Record<string, PluginEntry> = {}
  for (const { id, tool = 'return "done"', source, manifest, entry } of plugins) {
    const root = folder.add('local', { id, contributes: toolsetOf(id) as never, ...manifest })
    folder.write(join(root, 'package.json'), '{ "type": "module" }')
    for (const file of ['toolset.js', 'platform.js', 'provider.js']) folder.write(join(root, 'dist', file), source ?? toolSource(id, tool))
    entries[id] = { enabled: true, ...entry }
  }
  return entries
}

function openLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  const say =
    (level: string): Log['info'] =>
    (message, fields) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  return { lines, log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') } }
}

async function openToolset(rig: ExtensionRig, contribution: Contribution): Promise<OpenToolset> {
  const entry = await rig.activator.entry<Toolset>(contribution)
  return entry.open(rig.context(contribution).context as ToolContext, newCall())
}

export const newCall = () => ({ id: 'c', signal: new AbortController().signal, deadline: 10_000 })
