import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog/catalog.ts'
import { mayGo, type PluginState, type StateChange } from '../plugin-state.ts'
import { because, type Reason } from '../reasons.ts'

/** What is known about a contribution that was asked for. */
export interface ActivationStatus {
  readonly state: PluginState
  readonly reason: Reason | undefined
  /** When a failed one may be tried again: milliseconds since 1970. */
  readonly retryAt: number | undefined
}

/** One contribution that was asked for, and what became of it. */
export interface Slot {
  readonly contribution: Contribution
  state: PluginState
  reason: Reason | undefined
  retryAt: number | undefined
  failures: number
  failedAt: number
  failedImports: number
  entry: Promise<unknown> | undefined
}

export interface Slots {
  of(contribution: Contribution): Slot
  /** A contribution that nobody asks for any more. */
  forget(contribution: Contribution): void
  all(): readonly Slot[]
  /** By `<kind>:<id>`, or by a plugin id: the part that says most about it. */
  status(id: string): ActivationStatus
  go(slot: Slot, to: PluginState, reason?: Reason): void
  /** Failed, and the next try waits a little longer than the last one did. */
  fail(slot: Slot, error: unknown): void
  onState(listener: (change: StateChange) => void): () => void
}

/** Pauses before the next try, in milliseconds; the last one repeats. */
const retryLadder = [1_000, 5_000, 30_000, 300_000] as const
/** After this long without a failure the ladder starts again, in milliseconds. */
const forgiveAfter = 600_000

export function createSlots({ clock, log, budgetMs }: { readonly clock: Clock; readonly log: Log; readonly budgetMs: number }): Slots {
  // By what was asked for: old and new settings of one contribution run side by side for a while.
  const slots = new Map<Contribution, Slot>()
  const listeners = new Set<(change: StateChange) => void>()

  function go(slot: Slot, to: PluginState, reason?: Reason): void {
    if (!mayGo(slot.state, to)) return
    const change = describeChange(slot, to, reason)
    slot.state = to
    slot.reason = reason
    if (to !== 'failed') slot.retryAt = undefined
    for (const listener of listeners) listener(change)
  }

  return {
    of(contribution) {
      const slot = slots.get(contribution) ?? createSlot(contribution)
      slots.set(contribution, slot)
      return slot
    },
    forget: (contribution) => void slots.delete(contribution),
    all: () => [...slots.values()],
    status(id) {
      const all = [...slots.values()]
      const named = all.filter(({ contribution }) => `${contribution.kind}:${contribution.id}` === id)
      const own = furthest(named.length > 0 ? named : all.filter(({ contribution }) => contribution.plugin.manifest.id === id))
      return { state: own?.state ?? 'ready', reason: own?.reason, retryAt: own?.retryAt }
    },
    go,
    fail(slot, error) {
      const now = clock.now()
      if (now - slot.failedAt > forgiveAfter) slot.failures = 0
      const pause = retryLadder[Math.min(slot.failures, retryLadder.length - 1)] ?? 0
      slot.failures += 1
      slot.failedAt = now
      slot.retryAt = now + pause
      slot.entry = undefined
      const reason = toReason(slot, error, budgetMs)
      log.warn(`${slot.contribution.plugin.manifest.id} failed: ${reason.text}`, { reason: reason.code, retryInMs: pause })
      go(slot, 'failed', reason)
    },
    onState(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** What a caller is told about a contribution that failed. */
export function describeFailure(slot: Slot, now: number, cause: unknown): Error {
  if (isAgentError(cause, 'PLUGIN_SHAPE') || isAgentError(cause, 'PLUGIN_BLOCKED')) return cause
  const plugin = slot.contribution.plugin.manifest.id
  const retryAfterMs = Math.max(0, (slot.retryAt ?? now) - now)
  return fail('PLUGIN_FAILED', { plugin, during: 'activation', detail: slot.reason?.text ?? 'it is not ready' }, { cause, retryAfterMs })
}

function createSlot(contribution: Contribution): Slot {
  return {
    contribution,
    state: 'ready',
    reason: undefined,
    retryAt: undefined,
    failures: 0,
    failedAt: 0,
    failedImports: 0,
    entry: undefined,
  }
}

function describeChange(slot: Slot, to: PluginState, reason: Reason | undefined): StateChange {
  const { kind, id, plugin } = slot.contribution
  return {
    plugin: plugin.manifest.id,
    kind,
    contribution: id,
    from: slot.state,
    to,
    ...(reason && { reason: reason.code, detail: reason.text }),
    ...(reason && slot.retryAt !== undefined && { retryAt: slot.retryAt }),
  }
}

function toReason(slot: Slot, error: unknown, budgetMs: number): Reason {
  const plugin = slot.contribution.plugin.manifest.id
  if (isAgentError(error, 'TIMED_OUT')) return because('activate-timeout', { ms: budgetMs, plugin })
  if (isAgentError(error, 'PLUGIN_SHAPE')) {
    return because('entry-shape', { entry: String(error.params.entry), problem: String(error.params.problem) })
  }
  if (isAgentError(error, 'PLUGIN_BLOCKED')) {
    return { code: 'quarantined', text: String(error.params.reason), fix: String(error.params.fix) }
  }
  return because('activate-error', { detail: detailOf(error) })
}

function furthest(slots: readonly Slot[]): Slot | undefined {
  const order: readonly PluginState[] = ['failed', 'activating', 'active', 'draining', 'inactive', 'ready']
  return order.flatMap((state) => slots.filter((slot) => slot.state === state))[0]
}
