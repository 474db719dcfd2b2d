import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock, ContractKind, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Contribution } from './catalog.ts'
import { mayGo, type PluginState, type StateChange } from './plugin-state.ts'
import { because, type Reason } from './reasons.ts'

/** Imports the module of an entry; `attempt` counts from 0, because a module that failed stays failed under its own name. */
export type ImportEntry = (contribution: Contribution, attempt: number) => Promise<{ readonly default?: unknown }>

export interface ActivatorOptions {
  readonly clock: Clock
  readonly log: Log
  readonly importEntry?: ImportEntry
  /** Longest wait for an entry's module. */
  readonly budgetMs?: number
}

/** What is known about a contribution that was asked for. */
export interface ActivationStatus {
  readonly state: PluginState
  readonly reason: Reason | undefined
  /** When a failed one may be tried again: milliseconds since 1970. */
  readonly retryAt: number | undefined
}

export interface Activator {
  /** The default export of the entry: imported at the first demand, once, whoever asks. Rejects with PLUGIN_FAILED and how long to wait. */
  entry<T>(contribution: Contribution): Promise<T>
  /** `<kind>:<id>`, or a plugin id for the furthest of its parts. Nothing asked for yet: ready. */
  state(id: string): ActivationStatus
  onState(listener: (change: StateChange) => void): () => void
  /** Something went wrong after the import: the contribution is failed, and its next try waits. */
  fault(contribution: Contribution, error: unknown): void
  /** Draining while `drain` runs, inactive afterwards; the next demand activates it again. */
  release(contribution: Contribution, drain?: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

interface Slot extends ActivationStatus {
  readonly contribution: Contribution
  state: PluginState
  reason: Reason | undefined
  retryAt: number | undefined
  failures: number
  /** How often the module was imported. */
  imports: number
  entry: Promise<unknown> | undefined
}

/** Pauses before the next try, in milliseconds; the last one repeats. */
const retryLadder = [1_000, 5_000, 30_000, 300_000] as const

const methods = { platform: 'connect', provider: 'open', toolset: 'open' } as const satisfies Record<ContractKind, string>

const importFile: ImportEntry = ({ plugin, spec }, attempt) => {
  const url = pathToFileURL(join(plugin.root, spec.entry ?? ''))
  if (attempt > 0) url.searchParams.set('attempt', String(attempt))
  return import(url.href) as Promise<{ readonly default?: unknown }>
}

/** Imports plugin code on demand: single-flight, within a budget, with growing pauses after failures. */
export function createActivator({ clock, log, importEntry = importFile, budgetMs = 10_000 }: ActivatorOptions): Activator {
  const slots = new Map<string, Slot>()
  const listeners = new Set<(change: StateChange) => void>()
  const closed = new AbortController()

  function slotOf(contribution: Contribution): Slot {
    const key = `${contribution.kind}:${contribution.id}`
    const known = slots.get(key)
    if (known) return known
    const slot: Slot = { contribution, state: 'ready', reason: undefined, retryAt: undefined, failures: 0, imports: 0, entry: undefined }
    slots.set(key, slot)
    return slot
  }

  function go(slot: Slot, to: PluginState, reason?: Reason): void {
    if (!mayGo(slot.state, to)) return
    const { kind, id, plugin } = slot.contribution
    const change: StateChange = {
      plugin: plugin.manifest.id,
      kind,
      contribution: id,
      from: slot.state,
      to,
      ...(reason && { reason: reason.code, detail: reason.text }),
      ...(slot.retryAt !== undefined && { retryAt: slot.retryAt }),
    }
    slot.state = to
    slot.reason = reason
    for (const listener of listeners) listener(change)
  }

  function markFailed(slot: Slot, reason: Reason): void {
    const pause = retryLadder[Math.min(slot.failures, retryLadder.length - 1)] ?? 0
    slot.failures += 1
    slot.entry = undefined
    slot.retryAt = clock.now() + pause
    log.warn(`${slot.contribution.plugin.manifest.id} failed: ${reason.text}`, { reason: reason.code, retryInMs: pause })
    go(slot, 'failed', reason)
  }

  async function activate(slot: Slot): Promise<unknown> {
    slot.retryAt = undefined
    go(slot, 'activating')
    try {
      const module = await withinBudget(importEntry(slot.contribution, slot.imports++), slot)
      const entry = checkShape(slot.contribution, module)
      go(slot, 'active')
      return entry
    } catch (error) {
      markFailed(slot, toReason(slot, error))
      throw failure(slot, error)
    }
  }

  async function withinBudget(work: Promise<{ readonly default?: unknown }>, slot: Slot): Promise<{ readonly default?: unknown }> {
    const done = new AbortController()
    const limit = clock.sleep(budgetMs, AbortSignal.any([done.signal, closed.signal])).then(() => {
      throw fail('TIMED_OUT', { what: `Loading ${slot.contribution.plugin.manifest.id}`, ms: budgetMs })
    })
    try {
      return await Promise.race([work, limit])
    } finally {
      done.abort()
      limit.catch(() => undefined)
    }
  }

  function toReason(slot: Slot, error: unknown): Reason {
    const plugin = slot.contribution.plugin.manifest.id
    if (isAgentError(error, 'TIMED_OUT')) return because('activate-timeout', { ms: budgetMs, plugin })
    if (isAgentError(error, 'PLUGIN_SHAPE')) {
      return because('entry-shape', { entry: String(error.params.entry), problem: String(error.params.problem) })
    }
    return because('activate-error', { detail: error instanceof Error ? error.message : String(error) })
  }

  function failure(slot: Slot, cause: unknown): Error {
    if (isAgentError(cause, 'PLUGIN_SHAPE')) return cause
    const plugin = slot.contribution.plugin.manifest.id
    const retryAfterMs = Math.max(0, (slot.retryAt ?? 0) - clock.now())
    return fail('PLUGIN_FAILED', { plugin, during: 'activation', detail: slot.reason?.text ?? 'it is not ready' }, { cause, retryAfterMs })
  }

  return {
    async entry<T>(contribution: Contribution): Promise<T> {
      if (closed.signal.aborted) throw fail('PLUGIN_INACTIVE', { plugin: contribution.plugin.manifest.id })
      const slot = slotOf(contribution)
      if (slot.state === 'failed' && clock.now() < (slot.retryAt ?? 0)) throw failure(slot, undefined)
      slot.entry ??= activate(slot)
      return (await slot.entry) as T
    },
    state(id) {
      const own = slots.get(id) ?? furthest([...slots.values()].filter((slot) => slot.contribution.plugin.manifest.id === id))
      return { state: own?.state ?? 'ready', reason: own?.reason, retryAt: own?.retryAt }
    },
    onState(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    fault(contribution, error) {
      const slot = slotOf(contribution)
      markFailed(slot, toReason(slot, error))
    },
    async release(contribution, drain) {
      const slot = slotOf(contribution)
      go(slot, 'draining')
      try {
        await drain?.()
      } finally {
        slot.entry = undefined
        go(slot, 'inactive')
      }
    },
    async close() {
      closed.abort(fail('INTERRUPTED'))
      for (const slot of slots.values()) {
        go(slot, 'draining')
        go(slot, 'inactive')
      }
      listeners.clear()
    },
  }
}

/** Of several parts, the one that says most about the plugin. */
function furthest(slots: readonly Slot[]): Slot | undefined {
  const order: readonly PluginState[] = ['failed', 'activating', 'active', 'draining', 'inactive', 'ready']
  return order.flatMap((state) => slots.filter((slot) => slot.state === state))[0]
}

/** Declared is provided: the entry has what its kind of contribution is called by. */
function checkShape({ plugin, kind, spec }: Contribution, module: { readonly default?: unknown }): unknown {
  const entry = module.default
  const method = methods[kind]
  if (typeof entry === 'object' && entry !== null && typeof (entry as Record<string, unknown>)[method] === 'function') return entry
  const problem = entry === undefined ? 'has no default export' : `has a default export without ${method}()`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry ?? 'its entry', problem })
}
