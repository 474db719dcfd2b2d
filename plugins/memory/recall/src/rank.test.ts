import type { PastMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { rankHits } from './rank.ts'

const now = 1_700_000_000_000
const day = 86_400_000
const message = (session: string, text: string, days = 0): PastMessage => ({
  ...{ session, title: session === 'ses_1' ? 'Cats' : null, role: 'user', at: now - days * day, number: 1, text },
})
const settings = { most: 8, half_life_days: 90 }

test('what fits best comes first, and of what fits alike the newer', () => {
  const found = [message('ses_1', 'old', 400), message('ses_2', 'new'), message('ses_3', 'worse', 1)]
  expect(rankHits(found, settings, now).map(({ text }) => text)).toEqual([
    'The person said: new',
    'The person said: worse',
    'The person said: old',
  ])
  const asFound = rankHits(found, { ...settings, half_life_days: 0 }, now)
  expect(asFound.map(({ session }) => session)).toEqual(['ses_1', 'ses_2', 'ses_3'])
  expect(asFound[0]).toEqual({ text: 'The person said: old', at: now - 400 * day, session: 'ses_1', title: 'Cats' })
})

test('a long session does not hide the others, and nothing is said twice', () => {
  const found = [...['a', 'b', 'c', 'd'].map((text) => message('ses_1', text)), message('ses_2', 'a'), message('ses_2', 'e')]
  expect(rankHits(found, settings, now).map(({ text }) => text.at(-1))).toEqual(['a', 'b', 'c', 'e'])
  expect(rankHits(found, { ...settings, most: 2 }, now)).toHaveLength(2)
})
