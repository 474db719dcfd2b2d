import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test('a slip of the fingers finds the name that was meant', () => {
  expect(nearestName('opnai', ['openai', 'anthropic'])).toBe('openai')
  expect(nearestName('Gatway', ['gateway', 'chat'])).toBe('gateway')
})

test('two letters that changed places are one slip', () => {
  expect(nearestName('/hlep', ['/chat', '/help'])).toBe('/help')
  expect(nearestName('gorq', ['grok', 'groq'])).toBe('groq')
})

test('half of a short word is too much for a slip', () => {
  expect(nearestName('nope', ['nous'])).toBeUndefined()
  expect(nearestName('nousy', ['nous'])).toBe('nous')
})

test('a word that is close to nothing finds nothing', () => {
  expect(nearestName('zzzzzz', ['openai', 'anthropic'])).toBeUndefined()
  expect(nearestName('x', [])).toBeUndefined()
  // The middle of one is the beginning of the other.
  expect(nearestName('search', ['xxsear'])).toBeUndefined()
})
