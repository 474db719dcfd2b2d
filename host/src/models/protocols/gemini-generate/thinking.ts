import type { ModelRequest, ReasoningEffort } from '@agent/plugin-sdk'

interface Rule {
  readonly models: RegExp
  /** Tokens, or a word, for each effort; absent: these models refuse the field. */
  readonly budgets?: Readonly<Record<ReasoningEffort, number>>
  readonly levels?: Readonly<Record<ReasoningEffort, string>>
}

/** The first that fits holds. A model that cannot stop thinking gets the least that it takes. */
const rules: readonly Rule[] = [
  { models: /gemini-(1|2\.0)|gemma|-image|-tts/ },
  { models: /gemini-2\.5-pro/, budgets: { none: 128, low: 2_048, medium: 8_192, high: 24_576, xhigh: 32_768 } },
  { models: /gemini-2\.5/, budgets: { none: 0, low: 2_048, medium: 8_192, high: 16_384, xhigh: 24_576 } },
  { models: /gemini-3-pro/, levels: { none: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'high' } },
  { models: /gemini.*flash/, levels: { none: 'minimal', low: 'low', medium: 'medium', high: 'high', xhigh: 'high' } },
  { models: /gemini/, levels: { none: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high' } },
]

export function buildThinking({ model, reasoning }: Pick<ModelRequest, 'model' | 'reasoning'>): Record<string, unknown> {
  const rule = reasoning === undefined ? undefined : rules.find(({ models }) => models.test(model))
  if (reasoning === undefined || !rule || !(rule.budgets || rule.levels)) return {}
  const amount = rule.budgets ? { thinkingBudget: rule.budgets[reasoning] } : { thinkingLevel: rule.levels?.[reasoning] }
  return { thinkingConfig: { ...amount, includeThoughts: reasoning !== 'none' } }
}

/** From the third generation on, a call without its signature is refused. */
export function needsSignatures(model: string): boolean {
  return model.includes('gemini') && !/gemini-[12]\b/.test(model)
}
