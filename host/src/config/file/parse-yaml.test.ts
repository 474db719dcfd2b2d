import { expect, test } from 'vitest'
import { parseYaml } from './parse-yaml.ts'

const letters = [...'bcdefghij']
const before = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 1)
const laughs = letters.map(
  (letter) =>
    `${letter}: &${letter} [${Array(10)
      .fill(`*${before(letter)}`)
      .join(', ')}]`,
)
const chain = Array.from({ length: 300 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}]`)

test.each([
  ['flow lists', `a: ${'['.repeat(200_000)}`, 1, 104, 'it is nested deeper than 100 levels'],
  ['flow lists behind other lines', `b: 1\na: ${'[{x: '.repeat(20_000)}`, 2, 254, 'it is nested deeper than 100 levels'],
  ['block lists', `a:\n ${'- '.repeat(20_000)}1`, 2, 1, 'it is nested deeper than 100 levels'],
  ['aliases of aliases', ['a0: &a0 [1]', ...chain].join('\n'), 101, 13, 'it is nested deeper than 100 levels'],
  ['a billion laughs', ['a: &a [1, 2, 3, 4]', ...laughs].join('\n'), 6, 7, 'it holds more than 100,000 values'],
  ['an alias of itself', 'b: 1\na: &a [*a]', 2, 8, 'an alias (*) stands for a value that it is part of'],
  ['an alias of nothing', 'a: *sk-secret', 1, 4, 'an alias (*) names an anchor (&) that does not stand before it'],
  ['a key that stands twice', 'a: 1\nb:\n  c: 1\n  c: 2', 4, 3, 'the key c stands here a second time'],
  ['a tab', 'a:\n\tb: 1', 2, 1, 'a tab indents this line; use spaces'],
  ['a tag', 'a: !sk-secret 3', 1, 4, 'this tag has no meaning here'],
  ['two documents', 'a: 1\n---\nb: 2', 2, 1, 'a second document begins here; a file holds one'],
  ['a bracket too many', '{a: 1}}', 1, 7, 'Unexpected flow-map-end token in YAML stream'],
  ['an open quote', 'a: "sk-secret\nb: 2\n\n\n', 2, 5, 'Missing closing "quote'],
  ['a list as a key', '? [a]\n: 1', 1, 3, 'this key is no text'],
])('names the place of a fault and quotes no value: %s', (_name, text, line, column, reason) => {
  expect(parseYaml(text)).toEqual({ ok: false, fault: { line, column, reason } })
})

test('reads many keys, brackets in texts and keys of many digits', () => {
  const keys = Array.from({ length: 15_000 }, (_, index) => `key_${index}: "${index % 100 === 0 ? '[[{' : ''}"`)
  const parsed = parseYaml([...keys, '12345678901234567890: x'].join('\n'))
  expect(parsed.ok && Object.keys(parsed.document.toJS() as object)).toHaveLength(15_001)
  expect(parsed.ok && parsed.document.get('12345678901234567890')).toBe('x')
})
