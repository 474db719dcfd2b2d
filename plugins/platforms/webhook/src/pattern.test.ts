import { expect, test } from 'vitest'
import { createPattern } from './pattern.ts'

test.each([
  ['abc', 'xxabcxx', 'abxc'],
  ['^refs/heads/(main|release-.*)$', 'refs/heads/release-2', 'refs/heads/mainly'],
  ['a{2,3}b', 'aab', 'ab'],
  ['^(?:ab){2}$', 'abab', 'ababab'],
  ['^x{2,}$', 'xxxx', 'x'],
  ['[^a-c\\]]', 'd', 'abc]'],
  ['\\d+\\.\\d', 'v1.2', 'v1,2'],
  ['\\bcat\\b', 'a cat.', 'concat'],
  ['(?i)ERROR', 'an error', 'an err'],
  ['^$', '', 'x'],
  ['^.$', '🔔', 'ab'],
  ['\\p{Lu}', 'É', 'é'],
  ['^(a||b)$', '', 'c'],
  ['(a*)*b', 'aab', 'aaa'],
])('%s finds %j and not %j', (source, found, missed) => {
  const matches = createPattern(source)
  expect(matches(found)).toBe(true)
  if (missed !== undefined) expect(matches(missed)).toBe(false)
})

test('it finds what the regular expressions of the language find', () => {
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const pick = (all: readonly string[]): string => all[next(all.length)] ?? ''
  const atom = (depth: number): string =>
    depth > 0 && next(4) === 0 ? `(${choice(depth - 1)})` : pick(['a', 'b', '.', '[ab]', '\\w', 'c', '\\b'])
  const piece = (depth: number): string => {
    const one = atom(depth)
    return one === '\\b' ? one : one + pick(['', '', '*', '+', '?', '{1,2}', '{2}'])
  }
  const choice = (depth: number): string => Array.from({ length: 1 + next(2) }, () => piece(depth) + piece(depth)).join('|')
  for (let round = 0; round < 500; round += 1) {
    const source = `${pick(['', '^'])}${choice(2)}${pick(['', '$'])}`
    const text = Array.from({ length: next(7) }, () => pick(['a', 'b', 'c', ' '])).join('')
    expect(createPattern(source)(text), `${source} in "${text}"`).toBe(new RegExp(source, 'u').test(text))
  }
})

test('a pattern that makes others go back for ever has its answer', () => {
  expect(createPattern('^(a+)+$')(`${'a'.repeat(3000)}b`)).toBe(false)
  expect(createPattern('(x+x+)+y')('x'.repeat(4000))).toBe(false)
})

test.each([
  ['a(b', 'has a "(" that is not closed'],
  ['a)b', 'has a ")" that was not opened'],
  ['*a', 'has nothing to repeat before "*"'],
  ['a**', 'has nothing to repeat before "*"'],
  ['(?=a)', 'looks around or names a group, which is not offered'],
  ['(a)\\1', 'has "\\1", which is not understood'],
  ['[b-a]', 'has "[b-a]", which is not understood'],
  ['[a', 'has "[", which is not understood'],
  ['a{3,1}', 'has bounds in the wrong order: {3,1}'],
  ['a{9999}', 'repeats too much'],
  ['((a{20}){20}){20}', 'repeats too much'],
  ['a'.repeat(301), 'is longer than 300 characters'],
])('%s is refused: it %s', (source, problem) => {
  expect(() => createPattern(source)).toThrow(problem)
})
