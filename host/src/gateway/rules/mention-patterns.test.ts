import { expect, test } from 'vitest'
import { compileMentionPatterns } from './mention-patterns.ts'

const match = (written: string | readonly string[], text: string): boolean => compileMentionPatterns(written).match(text)

test('wake words come as a list, by line or comma, or as JSON, and their case does not matter', () => {
  for (const written of [['hey bot', '^jarvis\\b'], 'hey bot, ^jarvis\\b', 'hey bot\n^jarvis\\b', '["hey bot", "^jarvis\\\\b"]']) {
    expect(match(written, 'Well, HEY BOT!')).toBe(true)
    expect(match(written, 'Jarvis, are you there')).toBe(true)
    expect(match(written, 'ask jarvis')).toBe(false)
  }
  expect(match('[jJ]arvis', 'jarvis')).toBe(true)
  expect(match(' 7 ,hey ', '7')).toBe(true)
  expect(match('7', 'seven, 7')).toBe(true)
  expect(compileMentionPatterns(' ["hey", 7, ""]')).toMatchObject({ refused: [] })
  expect(match(' ["hey", 7, ""]', 'hello')).toBe(false)
  expect(match('', 'anything')).toBe(false)
})

test('a pattern that is none is left out and named; the others hold', () => {
  const patterns = compileMentionPatterns(['(', 'jarvis'])
  expect(patterns.refused.map(({ pattern }) => pattern)).toEqual(['('])
  expect(patterns.match('jarvis')).toBe(true)
})

test.each([
  '(a+)+$',
  '(a|aa)*b',
  '((a?)b)+',
  '(x{1,9}){20}',
  '.*a.*b.*c',
  '(a)\\1',
  'x'.repeat(201),
  '(?:\\w+\\s?)*!',
  '(b+(a))+',
  '((a)(b+))*',
  '((a+)b)*',
])('%s could take for ever and is refused', (pattern) => {
  expect(compileMentionPatterns([pattern]).refused).toHaveLength(1)
  expect(match([pattern], 'a'.repeat(400))).toBe(false)
})

test.each([
  'hey,? bot',
  '\\bbot\\b',
  '(?:hey|hi) bot',
  '@\\w+ bot',
  'b[o+]+t',
  '\\p{L}+ bot',
  '(ok )?bot',
  '(ok )+bot',
  '((o)k)+',
  'a+(k)+',
  '(\\u{61})+',
  '[+*?(]+',
  'a|b|c|d',
  'a?b?c?d?',
  '.*a.*b',
  'x'.repeat(200),
])('%s is fine', (pattern) => {
  expect(compileMentionPatterns([pattern]).refused).toEqual([])
})

test('only the beginning of a message is looked at', () => {
  expect(match(['bot'], `${' '.repeat(480)}bot`)).toBe(true)
  expect(match(['bot'], `${' '.repeat(500)}bot`)).toBe(false)
})
