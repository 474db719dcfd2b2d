import { expect, test } from 'vitest'
import { quote } from './quote.ts'

test('a short text is said, of a longer one only how long it is', () => {
  expect(quote('a'.repeat(20))).toBe(`"${'a'.repeat(20)}"`)
  expect(quote('a'.repeat(21))).toBe('a text of 21 characters')
})
