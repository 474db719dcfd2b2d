import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

test('a step is announced once it has taken a second, and a quick one never', async () => {
  const notes: string[] = []
  const clock = createFakeClock()
  const step = createProgress({ note: (text) => void notes.push(text) }, clock)
  expect(await step('Thinking', async () => 7)).toBe(7)
  await clock.advance(2000)
  expect(notes).toEqual([])
  await step('Fetching x', () => clock.advance(1500))
  expect(notes).toEqual(['Fetching x …'])
  await expect(step('Failing', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await clock.advance(2000)
  expect(notes).toEqual(['Fetching x …'])
})
