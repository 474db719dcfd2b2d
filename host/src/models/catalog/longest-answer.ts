import type { ModelFacts } from './facts.ts'
import { fits } from './fits.ts'

/** Tokens of the longest answer that a model gives, thoughts among them; undefined where nobody knows. */
export type LongestAnswer = (provider: string, model: string) => Promise<number | undefined>

/** The limits of a vendor's models, by their names without the vendor's. */
interface Page {
  /** The page that tells them. */
  readonly source: string
  /** When they were last gone through, `YYYY-MM-DD`. */
  readonly asOf: string
  /** Patterns of which the page itself was read then; the others come from what others say of these models. */
  readonly read: readonly string[]
  /** The first that fits holds. */
  readonly limits: readonly (readonly [model: string, tokens: number])[]
}

/** Kept by hand; a limit that is too high is refused by the service and asked for again with the usual one. What the settings and a fetched catalog say holds before it; where two pages of a vendor differ, the lower stands here. */
export const pages: readonly Page[] = [
  {
    source: 'https://platform.claude.com/docs/en/about-claude/models/overview',
    asOf: '2026-11-26',
    read: ['claude-opus-4-6*', 'claude-opus-4-7*', 'claude-opus-4-8*', 'claude-opus-5*', 'claude-sonnet-5*', 'claude-fable-5*'],
    limits: [
      ...(['claude-3-opus*', 'claude-3-sonnet*', 'claude-3-haiku*'] as const).map((name) => [name, 4096] as const),
      ['claude-3-5-*', 8192],
      ['claude-3.5-*', 8192],
      ['claude-3-7-*', 64_000],
      ['claude-3.7-*', 64_000],
      ...(['claude-opus-4-5*', 'claude-opus-4.5*'] as const).map((name) => [name, 64_000] as const),
      ...(['claude-opus-4-6*', 'claude-opus-4.6*', 'claude-opus-4-7*', 'claude-opus-4.7*'] as const).map(
        (name) => [name, 128_000] as const,
      ),
      ...(['claude-opus-4-8*', 'claude-opus-4.8*'] as const).map((name) => [name, 128_000] as const),
      ['claude-opus-4*', 32_000],
      ['claude-sonnet-4*', 64_000],
      ['claude-haiku-4*', 64_000],
      ...(['claude-opus-5*', 'claude-sonnet-5*', 'claude-fable-5*'] as const).map((name) => [name, 128_000] as const),
    ],
  },
  {
    source: 'https://platform.openai.com/docs/models',
    asOf: '2026-11-26',
    read: [],
    limits: [
      ['gpt-3.5*', 4096],
      ['gpt-4-turbo*', 4096],
      ['gpt-4o-2024-05-13', 4096],
      ['gpt-4o*', 16_384],
      ['gpt-4.1*', 32_768],
      ['gpt-5*-chat*', 16_384],
      ['gpt-5*', 128_000],
      ['gpt-6*', 128_000],
      ['o1-preview*', 32_768],
      ['o1-mini*', 65_536],
      ['o1*', 100_000],
      ['o3*', 100_000],
      ['o4-mini*', 100_000],
    ],
  },
  {
    source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/models',
    asOf: '2026-11-26',
    read: ['gemini-2.0*', 'gemini-2.5*'],
    limits: [
      ['gemini-1.5*', 8192],
      ['gemini-2.0*', 8192],
      ['gemini-*-image*', 32_768],
      ['gemini-2.5*', 65_535],
      ['gemini-3*', 65_535],
    ],
  },
  {
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    asOf: '2026-11-26',
    read: ['deepseek-chat*', 'deepseek-reasoner*'],
    limits: [
      ['deepseek-chat*', 8192],
      ['deepseek-reasoner*', 65_536],
      ['deepseek-v4-*', 384_000],
    ],
  },
]

export function createLongestAnswer(facts: Pick<ModelFacts, 'of'>): LongestAnswer {
  return async (provider, model) => {
    const output = (await facts.of(provider, model))?.output
    if (output) return output
    const name = model.slice(model.lastIndexOf('/') + 1)
    return pages.flatMap(({ limits }) => limits).find(([pattern]) => fits(pattern, name))?.[1]
  }
}
