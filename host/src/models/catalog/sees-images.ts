import type { ModelFacts } from './facts.ts'
import { fits } from './fits.ts'

/** Whether a model takes pictures; undefined where nobody knows. */
export type SeesImages = (model: { readonly provider: string; readonly model: string }) => Promise<boolean | undefined>

/** Models that take text alone, by their names without the vendor's; kept by hand, 2026-11-24. What a fetched catalog says holds before it. */
const blind = [
  ...['deepseek-chat*', 'deepseek-reasoner*', 'deepseek-r1*', 'deepseek-v3*', 'deepseek-coder*', 'deepseek-v4-*'],
  ...['gpt-3.5*', 'gpt-oss*', 'o1-mini*', 'o3-mini*', 'codestral*', 'devstral*', 'mixtral*', 'mistral-7b*', 'mistral-nemo*'],
  ...['llama-2*', 'llama-3-*', 'llama-3.1*', 'llama-3.3*', 'llama3', 'llama3:*', 'llama3.1*', 'llama3.3*', 'command-r*', 'command-a-0*'],
  ...['qwen2.5-coder*', 'qwen3-coder*', 'qwen3:*', 'qwq*', 'kimi-k2', 'kimi-k2-*', 'glm-4.5', 'glm-4.5-air*', 'glm-4.6', 'glm-4.7'],
  ...['minimax-m1*', 'minimax-m2*', 'phi-4', 'phi-4-mini*', 'phi4', 'phi4:*'],
]

export function createSeesImages(facts: Pick<ModelFacts, 'of'>): SeesImages {
  return async ({ provider, model }) => {
    const input = (await facts.of(provider, model))?.input
    if (input) return input.includes('image')
    const name = model.slice(model.lastIndexOf('/') + 1)
    return blind.some((pattern) => fits(pattern, name)) ? false : undefined
  }
}
