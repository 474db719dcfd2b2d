import { expect, test } from 'vitest'
import { isSameSecret } from './same-secret.ts'

test.each([
  ['key-1', 'key-1', true],
  ['key-1', 'key-2', false],
  ['key', 'key-1', false],
  ['', 'key-1', false],
  ['', '', true],
  ['ключ', 'ключ', true],
])('%j is %j: %s', (given, expected, same) => {
  expect(isSameSecret(given, expected)).toBe(same)
})
