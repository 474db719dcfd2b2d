import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock, ContractKind, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type ActivationStatus, createSlots, describeFailure, type Slot } from './activation-slots.ts'
import type { Contribution } from './catalog.ts'
import type { StateChange } from './plugin-state.ts'

export type EntryModule = { readonly default?: unknown }

/** Imports the module of an entry; `attempt` counts failures, because a module that failed stays failed under its own name. */
export type ImportEntry = (contribution: Contribution, attempt: number) => Promise<EntryModule>

export interface ActivatorOptions {
  readonly clock: Clock
  readonly log: Log
  readonly importEntry?: ImportEntry
  /** Longest wait for an entry's module. */
  readonly budgetMs?: number
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

const methods = { platform: 'connect', provider: 'open', toolset: 'open' } as const satisfies Record<ContractKind, string>

const importFile: ImportEntry = ({ plugin, spec }, attempt) => {
  const url = pathToFileURL(join(plugin.root, spec.entry ?? ''))
  if (attempt > 0) url.searchParams.set('attempt', String(attempt))
  return import(url.href) as Promise<EntryModule>
}

/** Imports plugin code on demand: single-flight, within a budget, with growing pauses after failures. */
export function createActivator({ clock, log, importEntry = importFile, budgetMs = 10_000 }: ActivatorOptions): Activator {
  const slots = createSlots({ clock, log, budgetMs })
  const closed = new AbortController()

  async function activate(slot: Slot): Promise<unknown> {
    slots.go(slot, 'activating')
    try {
      const module = await withinBudget(slot)
      const entry = checkShape(slot.contribution, module)
      slots.go(slot, 'active')
      return entry
    } catch (error) {
      slot.failedImports += 1
      slots.fail(slot, error)
      throw describeFailure(slot, clock.now(), error)
    }
  }

  async function withinBudget({ contribution, failedImports }: Slot): Promise<EntryModule> {
    const done = new AbortController()
    const limit = clock.sleep(budgetMs, AbortSignal.any([done.signal, closed.signal])).then((): never => {
      throw fail('TIMED_OUT', { what: `Loading ${contribution.plugin.manifest.id}`, ms: budgetMs })
    })
    // When the import wins, the rejection of the aborted sleep is nobody's business.
    limit.catch(() => undefined)
    try {
      return await Promise.race([importEntry(contribution, failedImports), limit])
    } finally {
      done.abort()
    }
  }

  return {
    async entry<T>(contribution: Contribution): Promise<T> {
      if (closed.signal.aborted) throw fail('PLUGIN_INACTIVE', { plugin: contribution.plugin.manifest.id })
      const slot = slots.of(contribution)
      if (slot.state === 'failed' && clock.now() < (slot.retryAt ?? 0)) throw describeFailure(slot, clock.now(), undefined)
      slot.entry ??= activate(slot)
      return (await slot.entry) as T
    },
    state: slots.status,
    onState: slots.onState,
    fault(contribution, error) {
      slots.fail(slots.of(contribution), error)
    },
    async release(contribution, drain) {
      const slot = slots.of(contribution)
      slots.go(slot, 'draining')
      try {
        await drain?.()
      } finally {
        slot.entry = undefined
        slots.go(slot, 'inactive')
      }
    },
    async close() {
      closed.abort(fail('INTERRUPTED'))
      for (const slot of slots.all()) {
        slots.go(slot, 'draining')
        slots.go(slot, 'inactive')
      }
    },
  }
}

/** Declared is provided: the entry has what its kind of contribution is called by. */
function checkShape({ plugin, kind, spec }: Contribution, module: EntryModule): unknown {
  const entry = module.default
  const method = methods[kind]
  if (typeof entry === 'object' && entry !== null && typeof (entry as Record<string, unknown>)[method] === 'function') return entry
  const problem = entry === undefined ? 'has no default export' : `has a default export without ${method}()`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry ?? 'its entry', problem })
}
