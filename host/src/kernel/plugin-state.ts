/** The life of a plugin, as one table: from each state, where it may go. */
export const transitions = {
  discovered: ['validated', 'blocked'],
  validated: ['resolved', 'blocked'],
  resolved: ['ready', 'blocked'],
  ready: ['activating'],
  activating: ['active', 'failed', 'draining'],
  active: ['draining', 'failed'],
  draining: ['inactive'],
  inactive: ['activating'],
  failed: ['activating', 'draining'],
  blocked: [],
} as const satisfies Record<string, readonly string[]>

export type PluginState = keyof typeof transitions

/** True when the table allows the step. */
export function mayGo(from: PluginState, to: PluginState): boolean {
  const allowed: readonly PluginState[] = transitions[from]
  return allowed.includes(to)
}

/** One step of one contribution; the payload of the event `plugin.state`. */
export interface StateChange {
  readonly plugin: string
  readonly kind: string
  readonly contribution: string
  readonly from: PluginState
  readonly to: PluginState
  /** Why it failed: a reason code and what the code is about. */
  readonly reason?: string
  readonly detail?: string
  /** When a failed one is tried again: milliseconds since 1970. */
  readonly retryAt?: number
}
