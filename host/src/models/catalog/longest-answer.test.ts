import { expect, test } from 'vitest'
import { createLongestAnswer, pages } from './longest-answer.ts'

const longest = createLongestAnswer({ of: async (provider) => (provider === 'mine' ? { output: 1000 } : undefined) })

test.each([
  ['claude-3-haiku-20240307', 4096],
  ['claude-3-5-haiku-latest', 8192],
  ['claude-3-7-sonnet-latest', 64_000],
  ['claude-opus-4-1-20250805', 32_000],
  ['claude-opus-4-20250514', 32_000],
  ['claude-opus-4-5-20251101', 64_000],
  ['anthropic/claude-opus-4.6', 128_000],
  ['anthropic/claude-sonnet-5', 128_000],
  ['claude-haiku-4-5', 64_000],
  ['gpt-4o-2024-05-13', 4096],
  ['gpt-4o-mini', 16_384],
  ['gpt-5-chat-latest', 16_384],
  ['gpt-6.1-sol', 128_000],
  ['o1-mini', 65_536],
  ['o3', 100_000],
  ['gemini-2.5-flash', 65_535],
  ['gemini-3.1-flash-image', 32_768],
  ['deepseek-v4-flash', 384_000],
  ['my-own-model', undefined],
])('the longest answer of %s has %s tokens', async (model, tokens) => {
  expect(await longest('far', model)).toBe(tokens)
})

test('what the settings or a fetched catalog say holds before, and each page has its day and its address', async () => {
  expect(await longest('mine', 'gpt-4o')).toBe(1000)
  for (const { source, asOf, read, limits } of pages) {
    expect([URL.canParse(source), /^\d{4}-\d{2}-\d{2}$/.test(asOf)]).toEqual([true, true])
    expect(limits.map(([pattern]) => pattern)).toEqual(expect.arrayContaining([...read]))
  }
})
