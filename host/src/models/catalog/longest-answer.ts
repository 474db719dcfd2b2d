import type { ModelFacts } from './facts.ts'
import { fits } from './fits.ts'

/** Tokens of the longest answer that a model gives, thoughts among them; undefined where nobody knows. */
export type LongestAnswer = (provider: string, model: string) => Promise<number | undefined>

/** By their names without the vendor's; kept by hand, 2026-11-24. What the settings and a fetched catalog say holds before it. */
const known: readonly (readonly [string, number])[] = [
  ...([
    ['gpt-3.5*', 4096],
    ['gpt-4-turbo*', 4096],
    ['gpt-4o*', 16_384],
    ['gpt-4.1*', 32_768],
    ['gpt-5*', 128_000],
    ['o3*', 100_000],
  ] as const),
  ...([
    ['o4-mini*', 100_000],
    ['claude-3-*', 8192],
    ['claude-opus-4*', 32_000],
    ['claude-sonnet-4*', 64_000],
  ] as const),
  ...([
    ['claude-haiku-4*', 64_000],
    ['gemini-2.5-pro*', 65_536],
    ['deepseek-chat*', 8192],
    ['deepseek-reasoner*', 65_536],
  ] as const),
]

export function createLongestAnswer(facts: Pick<ModelFacts, 'of'>): LongestAnswer {
  return async (provider, model) => {
    const output = (await facts.of(provider, model))?.output
    if (output) return output
    const name = model.slice(model.lastIndexOf('/') + 1)
    return known.find(([pattern]) => fits(pattern, name))?.[1]
  }
}
