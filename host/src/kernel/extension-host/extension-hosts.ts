import type { Clock, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog/catalog.ts'
import type { IsOwnDoor } from '../egress/own-doors.ts'
import type { Installed } from '../installed/manifest-file.ts'
import { createFaults, parseQuarantine, type QuarantinePort } from '../isolation/faults.ts'
import { type Isolation, type IsolationSettings, isolationOf, type PermissionSet, permissionSetOf } from '../isolation/permission-set.ts'
import { because } from '../reasons.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { StartChild } from './child-process.ts'
import type { Child, ChildInspection, Crash, OpenChildOptions } from './open-child.ts'
import type { ChildWatch } from './watch-children.ts'

export interface ExtensionHostsOptions {
  /** The child program, built. */
  readonly program: string
  /** Folder of the plugins' own folders: `<home>/plugins/data`. */
  readonly data: string
  /** Where what is remembered lies, for providers that keep files of it. */
  readonly memories: string
  readonly workspace: string
  /** Homes of the agent, of every profile, which no sandbox shows. */
  readonly homes: () => readonly string[]
  /** Of the person, whose keys no plugin sees that does not declare them by name. */
  readonly userHome: string
  /** As they are now: children that run go on as they were started. */
  readonly settings: IsolationSettings
  /** Tried out at the first child unless given. */
  readonly sandbox?: Sandbox | undefined
  /** Who may run: those of one permission set share a child. */
  readonly plugins: readonly Installed[]
  readonly quarantine: QuarantinePort
  readonly clock: Clock
  readonly log: Log
  readonly node?: string
  readonly flags?: Pick<ReadonlySet<string>, 'has'>
  /** Whether an address and a port belong to the agent; looked for unless given. */
  readonly isOwnDoor?: IsOwnDoor | undefined
  /** Starts a process unless told otherwise. */
  readonly startChild?: StartChild | undefined
}

/** One child as lists show it. */
export interface ChildStatus {
  readonly key: string
  readonly isolation: Isolation
  readonly plugins: readonly string[]
  readonly pid: number | undefined
  /** Bytes: as last seen, and what it may take. */
  readonly memory: number
  readonly memoryLimit: number
  /** It is late with an answer; when it stays so, it is ended. */
  readonly silent: boolean
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly startMs: number
}

/** One plugin as lists show it. */
export interface IsolationStatus {
  readonly plugin: string
  readonly isolation: Isolation
  /** Faults of the last ten minutes, and what the last one was. */
  readonly faults: number
  readonly lastFault: string | undefined
  readonly child: ChildStatus | undefined
}

/** The children in which plugins run that are kept away from the host. */
export interface ExtensionHosts {
  isolates(contribution: Pick<Contribution, 'plugin'>): boolean
  /** The stand-in of an entry; its child is started at the first demand. */
  load(contribution: Contribution, attempt: number): Promise<object>
  /** The entry is not needed any more; a child without entries ends. */
  unload(contribution: Contribution): Promise<void>
  /** What goes on in the child of an entry; undefined where it has none. */
  inspect(contribution: Contribution): Promise<ChildInspection | undefined>
  /** New code or new settings: the plugin's next entry is loaded in a new child; the old one ends with its last entry. */
  renew(plugin: string): void
  /** Told about every entry that was lost with its child. */
  onLost(listener: (contribution: Contribution, error: Error) => void): () => void
  children(): readonly ChildStatus[]
  status(): readonly IsolationStatus[]
  close(): Promise<void>
}

interface Running {
  readonly key: string
  readonly set: PermissionSet
  readonly plugins: readonly Installed[]
  readonly opening: Promise<Child>
  isolation: Isolation
  readonly loaded: Map<string, Contribution>
  readonly startedAt: number
  child: Child | undefined
  startMs: number
}

export function createExtensionHosts(options: ExtensionHostsOptions): ExtensionHosts {
  return new OpenExtensionHosts(options)
}

class OpenExtensionHosts implements ExtensionHosts {
  private readonly running = new Map<string, Running>()
  /** Children that only wait for their last entry to be unloaded. */
  private readonly outgoing = new Set<Running>()
  /** Which of its children a plugin is at, once it has one. */
  private readonly alone = new Map<string, number>()
  private readonly quarantined = new Set<string>()
  private readonly listeners = new Set<(contribution: Contribution, error: Error) => void>()
  private readonly faults
  private readonly options: ExtensionHostsOptions
  private readonly sandbox: Sandbox
  private watch: ChildWatch | undefined
  private closed = false

  constructor(options: ExtensionHostsOptions) {
    this.options = options
    this.sandbox = options.sandbox ?? createSandbox({ clock: options.clock })
    this.faults = createFaults(options.clock)
  }

  isolates({ plugin }: Pick<Contribution, 'plugin'>): boolean {
    return isolationOf(plugin, this.options.settings) !== 'inproc'
  }

  async load(contribution: Contribution, attempt: number): Promise<object> {
    const { id } = contribution.plugin.manifest
    if (this.closed) throw fail('PLUGIN_INACTIVE', { plugin: id })
    await this.requireTrust(id)
    const running = this.runningOf(contribution.plugin)
    // Before it is loaded: what ends its child while it is loaded has done that too.
    running.loaded.set(nameOf(contribution), contribution)
    try {
      return await (await running.opening).load(contribution, attempt)
    } catch (error) {
      if (!isAgentError(error, 'PLUGIN_FAILED')) running.loaded.delete(nameOf(contribution))
      throw error
    }
  }

  async unload(contribution: Contribution): Promise<void> {
    const running = this.holderOf(contribution)
    if (!running) return this.endIdle(contribution.plugin)
    running.loaded.delete(nameOf(contribution))
    const child = await running.opening
    if ((await child.unload(contribution)) === 0) await this.end(running)
  }

  async inspect(contribution: Contribution): Promise<ChildInspection | undefined> {
    const running = this.holderOf(contribution)
    return running && (await running.opening).inspect()
  }

  renew(plugin: string): void {
    this.alone.set(plugin, (this.alone.get(plugin) ?? 0) + 1)
    for (const running of this.running.values()) {
      if (running.plugins.length !== 1 || running.plugins[0]?.manifest.id !== plugin) continue
      this.running.delete(running.key)
      this.outgoing.add(running)
    }
  }

  onLost(listener: (contribution: Contribution, error: Error) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  children(): readonly ChildStatus[] {
    return [...this.running.values(), ...this.outgoing].map(({ key, set, isolation, plugins, child, startedAt, startMs }) => ({
      key,
      isolation,
      plugins: plugins.map(({ manifest }) => manifest.id),
      pid: child?.pid(),
      memory: child?.memory() ?? 0,
      memoryLimit: set.memoryBytes,
      silent: child?.isSilent() ?? false,
      startedAt,
      startMs,
    }))
  }

  status(): readonly IsolationStatus[] {
    const children = this.children()
    return this.options.plugins.map((plugin) => {
      const { id } = plugin.manifest
      return {
        plugin: id,
        isolation: isolationOf(plugin, this.options.settings),
        faults: this.faults.count(id),
        lastFault: this.faults.last(id),
        child: children.find(({ plugins }) => plugins.includes(id)),
      }
    })
  }

  async close(): Promise<void> {
    this.closed = true
    await Promise.all([...this.running.values(), ...this.outgoing].map((running) => this.end(running)))
  }

  /** A person who lifts a quarantine, maybe by another process, gives the plugin a fresh start. */
  private async requireTrust(plugin: string): Promise<void> {
    const quarantine = parseQuarantine(await this.options.quarantine.get(plugin))
    if (quarantine) {
      const { text, fix } = because('quarantined', { plugin, faults: quarantine.faults, detail: quarantine.detail })
      throw fail('PLUGIN_BLOCKED', { plugin, reason: text, fix })
    }
    if (this.quarantined.delete(plugin)) this.faults.forget(plugin)
  }

  private holderOf(contribution: Contribution): Running | undefined {
    const name = nameOf(contribution)
    return [...this.outgoing, ...this.running.values()].find(({ loaded }) => loaded.get(name) === contribution)
  }

  /** A child that was started for an entry which then could not be loaded. */
  private async endIdle({ manifest, root }: Installed): Promise<void> {
    const isIdle = ({ plugins, loaded }: Running): boolean =>
      loaded.size === 0 && plugins.every((one) => one.manifest.id === manifest.id && one.root === root)
    await Promise.all([...this.running.values()].filter(isIdle).map((running) => this.end(running)))
  }

  private async end(running: Running): Promise<void> {
    if (this.running.get(running.key) === running) this.running.delete(running.key)
    this.outgoing.delete(running)
    // What could not be started has ended.
    const child = await running.opening.catch(() => undefined)
    await child?.close()
  }

  private runningOf(plugin: Installed): Running {
    const { id } = plugin.manifest
    const set = permissionSetOf(plugin, this.options.settings)
    const own = this.alone.get(id)
    const shared = own === undefined ? (this.running.get(set.key)?.plugins ?? this.sharing(set)) : []
    // Permissions are given at the start: a plugin that came later gets a separate child.
    const plugins = shared.some(({ root }) => root === plugin.root) ? shared : [plugin]
    const key = plugins === shared ? set.key : `${set.key}/${id}/${own ?? 0}`
    const known = this.running.get(key)
    if (known) return known
    const running = this.start(key, set, plugins)
    this.running.set(key, running)
    return running
  }

  /** Who shares the child of a set. */
  private sharing(set: PermissionSet): readonly Installed[] {
    return this.options.plugins.filter((one) => {
      const { id } = one.manifest
      return this.isolates({ plugin: one }) && !this.alone.has(id) && permissionSetOf(one, this.options.settings).key === set.key
    })
  }

  private start(key: string, set: PermissionSet, plugins: readonly Installed[]): Running {
    const startedAt = this.options.clock.now()
    const running: Running = {
      ...{ key, set, isolation: set.isolation, plugins, startedAt, child: undefined, startMs: 0, loaded: new Map() },
      opening: this.open(set, plugins, {
        onPlace: (isolation) => (running.isolation = isolation),
        onCrash: (crash) => void this.onCrash(running, crash),
        onFault: (plugin, crash) => void this.onFault(running, plugin, crash),
      }),
    }
    running.opening.then(
      (child) => {
        running.child = child
        running.startMs = this.options.clock.now() - startedAt
      },
      () => this.running.get(key) === running && this.running.delete(key),
    )
    return running
  }

  private async open(
    set: PermissionSet,
    plugins: readonly Installed[],
    { onPlace, ...listeners }: Pick<OpenChildOptions, 'onCrash' | 'onFault'> & { readonly onPlace: (isolation: Isolation) => void },
  ): Promise<Child> {
    const { options, sandbox } = this
    const { clock, log, startChild } = options
    // Loaded late: without plugins of others the border costs nothing.
    const [{ prepareChild }, { openChild }, { createChildWatch }] = await Promise.all([
      import('./prepare-child.ts'),
      import('./open-child.ts'),
      import('./watch-children.ts'),
    ])
    const { command, cwd, close } = await prepareChild({ ...options, sandbox }, set, plugins)
    onPlace(command.sandboxed ? 'bwrap' : 'process')
    this.watch ??= createChildWatch(clock)
    return openChild({
      ...listeners,
      ...{ command, cwd, capBytes: set.memoryBytes, clock, log, watch: this.watch, startChild },
      plugins: plugins.map(({ manifest }) => manifest.id),
      onEnd: close,
    })
  }

  private async onCrash(running: Running, { detail, guilty, before, error }: Crash): Promise<void> {
    const { log } = this.options
    if (this.running.get(running.key) === running) this.running.delete(running.key)
    this.outgoing.delete(running)
    const loaded = [...running.loaded.values()]
    const charged = guilty === undefined ? new Set(loaded.map(({ plugin }) => plugin.manifest.id)) : new Set([guilty])
    log.error(`a child ended: ${detail}`, { plugin: [...charged].join(', '), key: running.key })
    // A sandbox that cannot be set up is no fault of a plugin.
    if (!before) for (const plugin of charged) await this.charge(plugin, detail)
    for (const contribution of loaded) for (const listener of this.listeners) listener(contribution, error)
  }

  /** One plugin of several is put away; it has a child for itself from now on. */
  private async onFault(running: Running, plugin: string, { detail, error }: Crash): Promise<void> {
    this.options.log.error(`${plugin} failed: ${detail}`, { plugin, key: running.key })
    this.alone.set(plugin, this.alone.get(plugin) ?? 0)
    const lost = [...running.loaded.values()].filter((one) => one.plugin.manifest.id === plugin)
    for (const contribution of lost) running.loaded.delete(nameOf(contribution))
    for (const contribution of lost) for (const listener of this.listeners) listener(contribution, error)
    await this.charge(plugin, detail)
    if (running.loaded.size === 0) await this.end(running)
  }

  private async charge(plugin: string, detail: string): Promise<void> {
    const { quarantine, log, clock } = this.options
    const verdict = this.faults.add(plugin, detail)
    if (verdict !== 'again') this.alone.set(plugin, this.alone.get(plugin) ?? 0)
    if (verdict !== 'quarantined') return
    this.quarantined.add(plugin)
    log.error(`${plugin} is quarantined: ${detail}. agent plugins enable ${plugin} lifts it.`, { plugin })
    await quarantine
      .set(plugin, { since: clock.now(), faults: this.faults.count(plugin), detail })
      .catch((problem: unknown) => log.error('a quarantine could not be written', { plugin, problem: String(problem) }))
  }
}

function nameOf({ kind, id }: Contribution): string {
  return `${kind}:${id}`
}
