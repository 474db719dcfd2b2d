import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { findShapeProblem } from '../calls/entry-shape.ts'
import type { Contribution } from '../catalog/catalog.ts'
import type { ExtensionHosts } from '../extension-host/extension-hosts.ts'
import { reopenEntry } from '../extension-host/reopen-entry.ts'
import { importFile } from '../import-file.ts'
import type { StateChange } from '../plugin-state.ts'
import { type ActivationStatus, createSlots, describeFailure, type Slot } from './activation-slots.ts'

export type EntryModule = { readonly default?: unknown }

/** Imports the module of an entry; `attempt` counts failures, because a module that failed stays failed under its own name. */
export type ImportEntry = (contribution: Contribution, attempt: number) => Promise<EntryModule>

export interface ActivatorOptions {
  readonly clock: Clock
  readonly log: Log
  readonly importEntry?: ImportEntry | undefined
  /** Where the plugins run that are not loaded into this process. */
  readonly hosts?: ExtensionHosts | undefined
  /** Longest wait for an entry's module. */
  readonly budgetMs?: number
}

export interface Activator {
  /** The default export of the entry: imported at the first demand, once for all callers. Rejects with PLUGIN_FAILED and how long to wait. */
  entry<T>(contribution: Contribution): Promise<T>
  /** `<kind>:<id>`, or a plugin id for the furthest of its parts. Nothing asked for yet: ready. */
  state(id: string): ActivationStatus
  onState(listener: (change: StateChange) => void): () => void
  /** Something went wrong after the import: the contribution is failed, and its next try waits. */
  fault(contribution: Contribution, error: unknown): void
  /** Draining while `drain` runs, inactive afterwards; the next demand activates it again. */
  release(contribution: Contribution, drain?: () => Promise<void>): Promise<void>
  /** Releases what was replaced or removed; nobody asks for it again. */
  retire(contribution: Contribution): Promise<void>
  close(): Promise<void>
}

const importEntryFile: ImportEntry = ({ plugin, spec }, attempt) => {
  const url = pathToFileURL(join(plugin.root, spec.entry ?? ''))
  if (attempt > 0) url.searchParams.set('attempt', String(attempt))
  return importFile(url.href) as Promise<EntryModule>
}

/** Imports plugin code on demand: single-flight, within a budget, with growing pauses after failures. */
export function createActivator({ clock, log, importEntry = importEntryFile, budgetMs = 10_000, hosts }: ActivatorOptions): Activator {
  const slots = createSlots({ clock, log, budgetMs })
  const closed = new AbortController()
  const isIsolated = (contribution: Contribution): boolean => hosts?.isolates(contribution) === true
  const stopListening = hosts?.onLost((contribution, error) => {
    if (slots.of(contribution).state === 'active') slots.fail(slots.of(contribution), error)
  })

  async function activate(slot: Slot): Promise<unknown> {
    slots.go(slot, 'activating')
    const startedAt = clock.now()
    try {
      const { contribution, failedImports } = slot
      const what = `Loading ${contribution.plugin.manifest.id}`
      const module = await withTimeLimit({ clock, ms: budgetMs, what, signal: closed.signal }, () => load(contribution, failedImports))
      const entry = isIsolated(slot.contribution) ? module.default : checkShape(slot.contribution, module)
      slots.go(slot, 'active')
      logActivation(log, contribution, { ms: clock.now() - startedAt, isolated: isIsolated(contribution) })
      return entry
    } catch (error) {
      slot.failedImports += 1
      slots.fail(slot, error)
      throw describeFailure(slot, clock.now(), error)
    }
  }

  async function load(contribution: Contribution, attempt: number): Promise<EntryModule> {
    return hosts && isIsolated(contribution) ? { default: await hosts.load(contribution, attempt) } : importEntry(contribution, attempt)
  }

  async function demand(contribution: Contribution): Promise<unknown> {
    if (closed.signal.aborted) throw fail('PLUGIN_INACTIVE', { plugin: contribution.plugin.manifest.id })
    const slot = slots.of(contribution)
    if (slot.state === 'failed' && clock.now() < (slot.retryAt ?? 0)) throw describeFailure(slot, clock.now(), undefined)
    slot.entry ??= activate(slot)
    return slot.entry
  }

  async function release(contribution: Contribution, drain?: () => Promise<void>): Promise<void> {
    const slot = slots.of(contribution)
    slots.go(slot, 'draining')
    try {
      await drain?.()
    } finally {
      slot.entry = undefined
      if (isIsolated(contribution)) await hosts?.unload(contribution)
      slots.go(slot, 'inactive')
    }
  }

  return {
    async entry<T>(contribution: Contribution): Promise<T> {
      const entry = await demand(contribution)
      if (!isIsolated(contribution)) return entry as T
      return reopenEntry(contribution, entry as object, async () => (await demand(contribution)) as object) as T
    },
    state: slots.status,
    onState: slots.onState,
    fault(contribution, error) {
      slots.fail(slots.of(contribution), error)
    },
    release,
    async retire(contribution) {
      await release(contribution)
      slots.forget(contribution)
    },
    async close() {
      closed.abort(fail('INTERRUPTED'))
      stopListening?.()
      for (const slot of slots.all()) {
        slots.go(slot, 'draining')
        slots.go(slot, 'inactive')
      }
      await hosts?.close()
    },
  }
}

/** `agent plugins trace` reads these lines. */
function logActivation(log: Log, { plugin, kind, id }: Contribution, fields: { readonly ms: number; readonly isolated: boolean }): void {
  log.info(`${plugin.manifest.id} is active`, { plugin: plugin.manifest.id, activated: `${kind}:${id}`, ...fields })
}

/** Declared is provided: the entry has what its kind of contribution is called by. */
function checkShape({ plugin, kind, spec }: Contribution, module: EntryModule): unknown {
  const problem = findShapeProblem(kind, module.default)
  if (problem === undefined) return module.default
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry ?? 'its entry', problem })
}
