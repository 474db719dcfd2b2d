import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test('a slip of the fingers finds the name that was meant', () => {
  expect(nearestName('opnai', ['openai', 'anthropic'])).toBe('openai')
  expect(nearestName('Gatway', ['gateway', 'chat'])).toBe('gateway')
})

test('a word that is close to nothing finds nothing', () => {
  expect(nearestName('zzzzzz', ['openai', 'anthropic'])).toBeUndefined()
  expect(nearestName('x', [])).toBeUndefined()
})
