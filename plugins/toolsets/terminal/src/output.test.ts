import { expect, test } from 'vitest'
import { createHeadAndTail, createRolling } from './output.ts'

test('head and tail of a stream are kept and the middle is counted', () => {
  const output = createHeadAndTail(10)
  for (const letter of 'abcdefghijklmnopqrst') output.push(letter)
  expect(output.text()).toBe('abcd\n… 10 characters left out …\nopqrst')
})

test('a short stream is kept whole', () => {
  const output = createHeadAndTail(10)
  output.push('abcdefghij')
  expect(output.text()).toBe('abcdefghij')
})

test('a rolling buffer keeps the end and knows what is new', () => {
  const output = createRolling(5)
  output.push('abc')
  expect(output.since(1)).toBe('bc')
  output.push('defghijkl')
  expect([output.text(), output.dropped(), output.length()]).toEqual(['hijkl', 7, 12])
  expect(output.since(10)).toBe('kl')
  expect(output.since(3)).toBe('hijkl')
  expect(output.since(12)).toBe('')
})
