import { expect, test } from 'vitest'
import { describeWaiting, verbsFor } from './platform-verbs.ts'

const wordsFor = (state: string) => verbsFor(state).map(({ verb, words }) => `${verb}: ${words}`)

test('a platform that failed is tried now, a paused one is resumed, and only one that is kept connected is paused', () => {
  expect(wordsFor('retrying')).toEqual(['resume: Try now', 'pause: Pause'])
  expect(wordsFor('fatal')).toEqual(['resume: Try again'])
  expect(wordsFor('paused')).toEqual(['resume: Resume'])
  for (const state of ['starting', 'connected', 'degraded']) expect(wordsFor(state), state).toEqual(['pause: Pause'])
  for (const state of ['stopped', 'disconnected', 'constructor', 'a state of tomorrow']) expect(wordsFor(state), state).toEqual([])
})

test('what waits is told where something does', () => {
  expect(describeWaiting({ waiting: 2, sending: 1 })).toBe('2 without an answer yet, 1 to be sent')
  expect(describeWaiting({ waiting: 0, sending: 3 })).toBe('3 to be sent')
  expect(describeWaiting({ waiting: 0, sending: 0 })).toBe('')
})
