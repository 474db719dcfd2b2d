import { expect, test } from 'vitest'
import { priceListOf } from '../testing/price-list-of.ts'
import { fits } from './fits.ts'
import { costOf, formatCost, type OwnPrice } from './price-list.ts'
import { prices } from './prices.gen.ts'

test('a model costs what the person has written down, else what the list says; a server of the own costs nothing, and what nobody knows has no price', async () => {
  const own: readonly OwnPrice[] = [{ provider: 'openai', model: 'gpt-5.4*', input: 1, output: 2, cache_read: 0.1 }]
  expect(await priceListOf(own).of('openai', 'gpt-5.4-mini', '2026-11-23')).toEqual({ input: 1, output: 2, cacheRead: 0.1 })
  expect(await priceListOf().of('openai', 'GPT-5.4', '2026-11-23')).toMatchObject({
    input: 2.5,
    output: 15,
    cacheRead: 0.25,
    long: { input: 5 },
  })
  expect(await priceListOf().of('ollama', 'anything', '2026-11-23')).toEqual({ input: 0, output: 0 })
  expect(await priceListOf().of('openai', 'no-such-model', '2026-11-23')).toBeUndefined()
  expect(await priceListOf().of('copilot', 'gpt-5.4', '2026-11-23')).toBeUndefined()
})

test('a price holds from its day on', async () => {
  const dated = prices.find((row) => row.prices.some(({ from }) => from !== undefined))
  const later = dated?.prices.find(({ from }) => from !== undefined)
  const of = (day: string) => priceListOf().of(dated?.provider ?? '', dated?.names[0] ?? '', day)
  expect(later?.from).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(await of(later?.from ?? '')).toMatchObject({ input: later?.input })
  expect(await of('2000-01-01')).toEqual(dated?.prices.find(({ from }) => from === undefined))
})

test.each([
  ['a', 'a', true],
  ['a', 'ab', false],
  ['a*', 'AB', true],
  ['*b', 'ab', true],
  ['*a*', 'xay', true],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'a1c', false],
  ['ab*bc', 'abc', false],
])('the pattern %s and the name %s: %s', (pattern, name, isSo) => {
  expect(fits(pattern, name)).toBe(isSo)
})

test('tokens from a cache and into one have rates, those that are not said cost as others do', () => {
  const usage = { input: 1000, output: 100, cacheRead: 600, cacheWrite: 300, reasoning: 50 }
  expect(costOf(usage, { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 })).toBe(100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 10)
  expect(costOf(usage, { input: 2, output: 10 })).toBe(1000 * 2 + 100 * 10)
})

test.each([
  [0, '$0.00'],
  [12_345_678, '$12.35'],
  [100_000, '$0.10'],
  [10_000, '$0.01'],
  [1234, '$0.0012'],
  [7, '$0.000007'],
])('%d millionths of a dollar are written %s', (millionths, text) => {
  expect(formatCost(millionths)).toBe(text)
})
