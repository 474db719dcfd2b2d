import type { ModelRequest, ReasoningEffort } from '@agent/plugin-sdk'

const budgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = { low: 2_048, medium: 8_192, high: 16_384, xhigh: 32_000 }

/** Longest answer when the request names none; the field is required. Those that decide by themselves how long they think do so within it. */
export function outputLimit(model: string): number {
  if (/claude-3-(opus|sonnet|haiku|5)/.test(model)) return 4_096
  return isBudgeted(model) ? 16_384 : 32_000
}

/** Older models take a budget of tokens, newer ones decide by themselves and take an effort. */
export function buildThinking({ model, reasoning, maxOutputTokens }: ModelRequest): Record<string, unknown> {
  if (reasoning === undefined || reasoning === 'none' || /claude-3-(opus|sonnet|haiku|5)/.test(model)) return {}
  if (!isBudgeted(model)) return { thinking: { type: 'adaptive' }, output_config: { effort: reasoning } }
  const budget = budgets[reasoning]
  if (maxOutputTokens === undefined)
    return { thinking: { type: 'enabled', budget_tokens: budget }, max_tokens: outputLimit(model) + budget }
  // The budget counts against the limit, and the least that is accepted is 1,024.
  const room = Math.min(budget, maxOutputTokens - 1_024)
  return room < 1_024 ? {} : { thinking: { type: 'enabled', budget_tokens: room } }
}

function isBudgeted(model: string): boolean {
  return /claude-(3-7|(opus|sonnet|haiku)-4(-[0-5])?([-@]\d{8})?$)/.test(model) || !model.includes('claude')
}

/** From Opus 4.7 and the fifth generation on, a temperature is refused whatever else the request says. */
export function takesTemperature(model: string): boolean {
  return !/claude-(opus-4[-.][7-9]|(opus|sonnet|haiku|fable)-([5-9]|[1-9]\d)(?!\d))/.test(model)
}
