import { expect, test } from 'vitest'
import { limitOutput } from './limit-output.ts'

test('a text within the limit stays as it is', () => {
  expect(limitOutput('abc', 3)).toBe('abc')
})

test('a longer text keeps head and tail and says what is missing', () => {
  const text = `${'a'.repeat(400)}${'b'.repeat(1000)}${'c'.repeat(600)}`
  expect(limitOutput(text, 1000)).toBe(`${'a'.repeat(400)}\n… 1000 characters left out …\n${'c'.repeat(600)}`)
})

test('no surrogate pair is split', () => {
  for (const limit of [5, 6, 7, 8, 9]) expect(limitOutput('😀'.repeat(20), limit)).not.toMatch(/\p{Surrogate}/u)
})

test('a wide letter is no half of a pair', () => {
  expect(limitOutput('\uff01'.repeat(20), 10)).toBe(`${'\uff01'.repeat(4)}\n… 10 characters left out …\n${'\uff01'.repeat(6)}`)
})
