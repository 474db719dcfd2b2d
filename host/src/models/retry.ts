import type { ModelErrorClass } from '@agent/plugin-sdk'

export interface ModelFailure {
  readonly class: ModelErrorClass
  readonly retryAfterMs?: number | undefined
  /** `INTERRUPTED` is never tried again, whatever its class. */
  readonly code?: string | undefined
  /** Another model waits to answer: the pauses that follow the usual retries are not made. */
  readonly hasStandIn?: boolean
}

interface Rule {
  /** Retries with growing pauses. */
  readonly retries: number
  /** Further pauses after those, in milliseconds. */
  readonly longer?: readonly number[]
  /** Tried again at once: the caller changes the request first. */
  readonly atOnce?: true
  /** Another model may answer what this one did not: the fault is not in what was asked. */
  readonly another?: true
  /** A shorter conversation may pass. */
  readonly shorter?: true
}

const base = 2_000
const longest = 120_000
const never: Rule = { retries: 0 }

const rules: Readonly<Record<ModelErrorClass, Rule>> = {
  auth: { retries: 0, another: true },
  billing: { retries: 0, another: true },
  rate_limit: { retries: 3, another: true },
  overloaded: { retries: 3, longer: [15_000, 30_000, 60_000, 120_000], another: true },
  server_error: { retries: 3, another: true },
  timeout: { retries: 3, another: true },
  disconnected: { retries: 3, another: true },
  context_overflow: { retries: 0, shorter: true },
  payload_too_large: { retries: 0, shorter: true },
  image_too_large: never,
  model_not_found: { retries: 0, another: true },
  provider_policy_blocked: { retries: 0, another: true },
  content_policy_blocked: { retries: 0, another: true },
  format_error: never,
  thinking_signature: { retries: 1, atOnce: true },
  llama_cpp_grammar_pattern: { retries: 1, atOnce: true },
  unknown: { retries: 3, another: true },
}

/** Whether another model may answer after such a failure. */
export function mayStandIn({ class: kind, code }: ModelFailure): boolean {
  return code !== 'INTERRUPTED' && rules[kind].another === true
}

/** Whether a shorter conversation may pass after such a failure. */
export const mayBeShorter = (kind: ModelErrorClass): boolean => rules[kind].shorter === true

/**
 * Milliseconds to wait before the next try, or null to give up. `attempt` counts the failures so far, from 1; `random` gives 0 to 1.
 * A provider that asks for more than two minutes is not waited for.
 */
export function retryDelay(failure: ModelFailure, attempt: number, random: () => number): number | null {
  if (failure.code === 'INTERRUPTED') return null
  const rule = rules[failure.class]
  const planned = plannedDelay(failure.hasStandIn ? { ...rule, longer: [] } : rule, attempt, random)
  if (planned === null || rule.atOnce) return planned
  if (failure.retryAfterMs === undefined) return planned
  return failure.retryAfterMs > longest ? null : Math.max(failure.retryAfterMs, 0)
}

function plannedDelay(rule: Rule, attempt: number, random: () => number): number | null {
  if (attempt <= rule.retries) {
    if (rule.atOnce) return 0
    const delay = Math.min(base * 2 ** (attempt - 1), longest)
    return Math.round(delay + random() * 0.5 * delay)
  }
  return rule.longer?.[attempt - rule.retries - 1] ?? null
}
