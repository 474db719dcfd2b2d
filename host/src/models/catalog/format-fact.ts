import type { ModelFact } from './facts.ts'

const count = new Intl.NumberFormat('en')

/** What is known of a model, in one sentence; undefined where that is nothing. */
export function formatFact(fact: ModelFact | undefined): string | undefined {
  if (!fact) return undefined
  const { context, output, input, isDeprecated, cost } = fact
  const parts = [
    ...(context ? [`${count.format(context)} tokens of context`] : []),
    ...(output ? [`answers of up to ${count.format(output)} tokens`] : []),
    ...(input ? [input.includes('image') ? 'sees pictures' : 'sees no pictures'] : []),
    ...(cost ? [`$${cost.input} in and $${cost.output} out for a million tokens`] : []),
    ...(isDeprecated ? ['its vendor has announced its end'] : []),
  ]
  return parts.length === 0 ? undefined : `It has: ${parts.join(', ')}.`
}
