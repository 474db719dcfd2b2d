import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { AuxiliaryAsk } from '#models/auxiliary.ts'
import type { SessionTitles } from '#models/titles/write-titles.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createMemoryReview } from '../memory/review-memory.ts'
import { withReviews } from './with-reviews.ts'

function openStage() {
  const told: string[] = []
  const asked: AuxiliaryAsk[] = []
  const titles = {
    begins: (session: string) => void told.push(`begins ${session}`),
    ended: () => void told.push('ended'),
    close: async () => void told.push('close'),
  } as unknown as SessionTitles
  const history: ModelMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'I prefer tea.' }] }]
  const memory = createMemoryReview({
    sessions: { history: async () => history },
    memory: { targets: () => ['user'], blocks: async () => [], propose: async () => true },
    ask: (ask) => {
      asked.push(ask)
      return new Promise((_resolve, reject) => ask.signal.addEventListener('abort', () => reject(ask.signal.reason)))
    },
    every: () => 1,
    tell: () => undefined,
    log: silentLog,
  })
  const both = withReviews(titles, { load: async () => [memory], isOn: () => true, log: silentLog })
  const [turn, , end] = [
    { session: 'ses', request: { canAnswer: true }, toolTurn: { owner: 'ann' } },
    undefined,
    { status: 'complete' },
  ] as const
  const ended = () => both.ended(turn as unknown as Parameters<SessionTitles['ended']>[0], undefined as never, end as never)
  return { both, told, asked, ended }
}

test('a turn that begins ends the review of its session', async () => {
  const { both, told, asked, ended } = openStage()
  ended()
  await expect.poll(() => asked.length).toBe(1)
  both.begins('ses')
  expect([asked[0]?.signal.aborted, told]).toEqual([true, ['ended', 'begins ses']])
  await both.close()
})

test('what runs is given up with the titles', async () => {
  const { both, told, asked, ended } = openStage()
  ended()
  await expect.poll(() => asked.length).toBe(1)
  await both.close()
  expect([asked[0]?.signal.aborted, told]).toEqual([true, ['ended', 'close']])
})
