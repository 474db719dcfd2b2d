import { expect, test } from 'vitest'
import { spansOf } from './spans.ts'

const found = (text: string): readonly string[] => [...spansOf(text)].map(({ start, end }) => text.slice(start, end))

/** What a span is, said in one pattern, which takes time by the square of a long text. */
const pattern = /`[^`\n]+`|!?\[[^[\]\n]*\]\([^)\s]{0,2000}\)|https?:\/\/[^\s)>\]]+/g

test('links, pictures, addresses and pieces of code are found in their order', () => {
  expect(found('a `b c` ![d](e) https://f.test/( [g](h i) [`j`](k) [`l`](m n)')).toEqual([
    ...['`b c`', '![d](e)', 'https://f.test/(', '[`j`](k)', '`l`'],
  ])
})

test('a link whose address is too long is none', () => {
  expect([2000, 2001].map((length) => found(`[a](${'b'.repeat(length)})`).length)).toEqual([1, 0])
})

test('whatever signs stand beside each other, the spans are those of the pattern', () => {
  const signs = ['[', ']', '(', ')', '](', '[a](', '!', '`', ' ', '\n', 'b', 'http://', 'https://c', '>']
  let seed = 1
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed
  }
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: 1 + (next() % 24) }, () => signs[next() % signs.length]).join('')
    expect(found(text), text).toEqual(text.match(pattern) ?? [])
  }
})

// Looking for its end from each of them would take minutes.
test.each(['[a](b', '![](', '[`', 'https://['])('a long text of %j again and again is gone through once', (sign) => {
  expect(found(`${sign.repeat(400_000 / sign.length)} [a](b)`).at(-1)).toBe('[a](b)')
})
