import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Context, Log, PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog/catalog.ts'
import { requestMessage } from '../egress/tell-request.ts'
import { openRemote, pipeLink, type Remote } from './border.ts'
import type { ChildCommand } from './child-command.ts'
import type { ChildDoor, ParentDoor } from './child-contract.ts'
import { type ChildEnd, type ChildProcess, type StartChild, startChild } from './child-process.ts'
import { limitLog } from './log-lines.ts'
import type { ChildWatch } from './watch-children.ts'

export interface OpenChildOptions {
  readonly command: ChildCommand
  readonly cwd: string
  readonly capBytes: number
  /** Who runs in it, for errors and log lines. */
  readonly plugins: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly watch: ChildWatch
  readonly startChild?: StartChild | undefined
  /** It ended and nobody had asked for it; `guilty` is the plugin whose code did it, where that is known. */
  readonly onCrash: (crash: Crash) => void
  /** Its process is gone, or could not be started. */
  readonly onEnd?: () => Promise<void>
  /** A plugin of several failed, and was put away; the child runs on. */
  readonly onFault: (plugin: string, crash: Crash) => void
}

export interface Crash {
  readonly detail: string
  readonly guilty: string | undefined
  /** Nobody's code did it: the child had not begun. */
  readonly before: boolean
  readonly error: AgentError
}

/** What goes on in a child now. */
export interface ChildInspection {
  /** Calls and streams that run. */
  readonly busy: number
  /** What keeps its event loop alive. */
  readonly resources: readonly string[]
  /** Contexts that have not ended. */
  readonly contexts: number
}

/** A running child with the entries that were loaded in it. */
export interface Child {
  /** The entry's stand-in; loaded at the first demand. */
  load(contribution: Contribution, attempt: number): Promise<object>
  /** Answers how many entries are left. */
  unload(contribution: Contribution): Promise<number>
  pid(): number | undefined
  /** Bytes, as last seen. */
  memory(): number
  /** It is late with an answer. */
  isSilent(): boolean
  inspect(): Promise<ChildInspection>
  close(): Promise<void>
}

/** How long a child that is not needed any more may take to end, in milliseconds. */
const graceMs = 2_000
/** The same for one whose pipe is gone. */
const goneMs = 500

export async function openChild(options: OpenChildOptions): Promise<Child> {
  const { command, cwd, clock, log, plugins, startChild: start = startChild } = options
  const about = { plugin: plugins.join(', ') }
  const output = limitLog(log, clock)
  const onEnd = options.onEnd ?? (async () => undefined)
  const running = await start(command, { cwd, clock, onLine: (line) => output.info(line, about) }).catch(async (error: unknown) => {
    await onEnd()
    throw error
  })
  void running.ended.then(onEnd)
  for (const warning of command.warnings) log.warn(`${about.plugin}: ${warning}`, about)
  return new OpenChild(options, running)
}

class OpenChild implements Child {
  private readonly entries = new Map<string, Promise<object>>()
  /** Plugins by the names of their entries. */
  private readonly owners = new Map<string, string>()
  private readonly contexts = new Map<string, Context>()
  private readonly over = new AbortController()
  private readonly remote: Remote
  private readonly door: ChildDoor
  private readonly options: OpenChildOptions
  private readonly running: ChildProcess
  private memoryBytes = 0
  private silent = false
  /** Entries that are being loaded or opened. */
  private beginning = 0
  private closing = false
  private cut = false
  private trouble: string | undefined
  private blamed: { readonly plugin: string | null; readonly detail: string } | undefined

  constructor(options: OpenChildOptions, running: ChildProcess) {
    this.options = options
    this.running = running
    const { log } = options
    // What is left out of these lines is nothing to warn of.
    const traffic = limitLog({ ...log, warn: log.debug }, options.clock)
    const parent: ParentDoor = {
      // It may accuse itself and its neighbours, nobody else.
      blame: (plugin, detail) => {
        const known = plugin !== null && options.plugins.includes(plugin) ? plugin : null
        this.blamed ??= { plugin: known, detail: String(detail).slice(0, 500) }
      },
      fault: (plugin, detail) => this.putAway(plugin, String(detail).slice(0, 500)),
      request: (plugin, told) => {
        if (options.plugins.includes(plugin)) traffic.debug(requestMessage, { ...told, plugin })
      },
    }
    this.remote = openRemote({
      link: pipeLink(running.pipe),
      offers: { parent: { as: 'parent', object: parent } },
      hand: (name, object, handle) => (name === 'pluginContext' ? this.handContext(object as Context, handle) : object),
      gone: () => this.describeEnd(),
    })
    this.door = this.remote.proxy('child', 'child') as ChildDoor
    running.pipe.on('error', (error) => {
      // What the system says about a pipe has a code; everything else was thrown at what came through it.
      if (isAgentError(error) || !('code' in error)) this.trouble ??= `it broke the border: ${error.message}`
    })
    // Without its pipe it serves nobody; what ends by itself meanwhile tells how.
    void this.remote.closed.then(async () => {
      this.cut = true
      await options.clock.sleep(goneMs, this.over.signal).then(running.kill, () => undefined)
    })
    const unwatch = this.watch()
    void running.ended.then((end) => {
      unwatch()
      this.finish(end)
    })
  }

  load(contribution: Contribution, attempt: number): Promise<object> {
    const name = nameOf(contribution)
    const known = this.entries.get(name)
    if (known !== undefined) return known
    const loading = this.loadEntry(name, contribution, attempt)
    this.entries.set(name, loading)
    this.owners.set(name, contribution.plugin.manifest.id)
    // One that failed is asked for again.
    loading.catch(() => this.entries.delete(name))
    return loading
  }

  private async loadEntry(name: string, { kind, plugin, spec }: Contribution, attempt: number): Promise<object> {
    const { manifest } = plugin
    // A sandbox and the limits of Node know folders by their own names, not by links to them.
    const root = realpathSync(plugin.root)
    const entry = spec.entry ?? ''
    const net = manifest.permissions.net?.value ?? 'none'
    await this.begin(() => this.door.load({ name, plugin: manifest.id, kind, file: join(root, entry), entry, attempt, root, net }))
    const members = Object.entries(this.remote.proxy(name, kind)) as [string, (...args: unknown[]) => Promise<unknown>][]
    return Object.fromEntries(members.map(([member, open]) => [member, (...args: unknown[]) => this.begin(() => open(...args))]))
  }

  private async begin<T>(work: () => Promise<T>): Promise<T> {
    this.beginning += 1
    try {
      return await work()
    } finally {
      this.beginning -= 1
    }
  }

  async unload(contribution: Contribution): Promise<number> {
    const name = nameOf(contribution)
    if (this.entries.delete(name) && !this.over.signal.aborted) await this.door.unload(name)
    return this.entries.size
  }

  pid(): number | undefined {
    return this.over.signal.aborted ? undefined : this.running.pid()
  }

  memory(): number {
    return this.memoryBytes
  }

  isSilent(): boolean {
    return this.silent
  }

  async inspect(): Promise<ChildInspection> {
    return { busy: await this.door.busy(), resources: await this.door.resources(), contexts: this.contexts.size }
  }

  async close(): Promise<void> {
    this.closing = true
    this.running.pipe.end()
    await this.running.finish(graceMs)
  }

  private watch(): () => void {
    const { watch, capBytes, log, plugins } = this.options
    const about = { plugin: plugins.join(', ') }
    return watch.watch({
      ping: () => this.door.ping(),
      pid: () => this.running.pid(),
      capBytes,
      isBeginning: () => this.beginning > 0,
      onMemory: (bytes) => (this.memoryBytes = Number(bytes)),
      onSilence: (silent) => {
        this.silent = silent
        if (silent) log.warn(`${about.plugin} does not answer`, { ...about, reason: 'unresponsive' })
        else log.info(`${about.plugin} answers again`, about)
      },
      onTrouble: (detail) => {
        this.trouble = detail
        this.running.kill()
      },
    })
  }

  /** The context ends over there together with the ledger that it belongs to. */
  private handContext(context: Context, handle: string): Context {
    this.contexts.set(handle, context)
    context.effect(async () => {
      this.contexts.delete(handle)
      try {
        const problems = await this.endContext(handle)
        for (const problem of problems) this.options.log.warn('an effect was not undone', { plugin: context.about.plugin, problem })
      } finally {
        this.remote.withdraw(handle)
      }
    })
    return { ...context, log: limitLog(context.log, this.options.clock) }
  }

  /** Ends what one plugin has in this child: its calls, its contexts, its entries. */
  private putAway(plugin: string, detail: string): void {
    const names = [...this.entries.keys()].filter((name) => this.owners.get(name) === plugin)
    if (names.length === 0) return
    const error = fail('PLUGIN_FAILED', { plugin, during: 'its run', detail })
    // The heartbeat finds a child that does not answer this.
    const ask = (work: Promise<unknown>): void => void work.catch((problem: unknown) => this.options.log.debug(String(problem), { plugin }))
    for (const name of names) {
      this.entries.delete(name)
      ask(this.door.unload(name))
      this.remote.abandon(name, error)
    }
    const contexts = [...this.contexts].filter(([, context]) => context.about.plugin === plugin)
    for (const [handle] of contexts) {
      this.contexts.delete(handle)
      ask(this.door.end(handle))
    }
    this.options.onFault(plugin, { detail, guilty: plugin, before: false, error })
    for (const [, context] of contexts) tellLost(context, error)
  }

  /** After a crash everything over there is undone already, and nobody is there to ask. */
  private async endContext(handle: string): Promise<readonly string[]> {
    try {
      return await this.door.end(handle)
    } catch (error) {
      if (this.cut) return []
      throw error
    }
  }

  private finish({ detail, before }: ChildEnd): void {
    if (this.over.signal.aborted) return
    this.over.abort()
    if (this.closing) return
    const error = this.describeEnd(detail)
    const lost = [...this.contexts.values()]
    this.contexts.clear()
    const { plugin } = this.blamed ?? { plugin: null }
    this.options.onCrash({ detail: this.trouble ?? this.blamed?.detail ?? detail, guilty: plugin ?? undefined, before, error })
    for (const context of lost) tellLost(context, error)
  }

  private describeEnd(detail = 'its process ended'): AgentError {
    if (this.closing) return fail('PLUGIN_INACTIVE', { plugin: this.options.plugins.join(', ') })
    const during = 'its run'
    return fail('PLUGIN_FAILED', {
      plugin: this.options.plugins.join(', '),
      during,
      detail: this.trouble ?? this.blamed?.detail ?? detail,
    })
  }
}

function tellLost(context: Partial<PlatformContext>, error: AgentError): void {
  context.lost?.({ retryable: true, error: toWireError(error) })
}

function nameOf({ kind, id }: Contribution): string {
  return `${kind}.${id}`
}
