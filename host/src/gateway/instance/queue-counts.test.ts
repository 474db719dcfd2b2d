import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { countQueues, type KeepCountsOptions, keepCounting } from './queue-counts.ts'

const journal = {
  pending: async () => [
    { platform: 'talk', account: 'bot', conversation: 'ann', inbox: 1, outbox: 2 },
    { platform: 'irc', account: 'bot', conversation: 'room', inbox: 0, outbox: 1 },
    { platform: 'talk', account: 'bot', conversation: 'ben', inbox: 3, outbox: 0 },
  ],
  unknownSends: async () => [{ platform: 'talk' }, { platform: 'mail' }],
} as unknown as KeepCountsOptions['journal']

test('what waits is counted for each platform, by name', async () => {
  expect(await countQueues(journal)).toEqual([
    { platform: 'irc', inbox: 0, outbox: 1, unknown: 0 },
    { platform: 'mail', inbox: 0, outbox: 0, unknown: 1 },
    { platform: 'talk', inbox: 4, outbox: 2, unknown: 1 },
  ])
})

test('it is counted again every minute until the signal fires, whatever fails', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  let counted = 0
  let broken = false
  const warn = (): void => {
    broken = false
  }
  const options: KeepCountsOptions = {
    ...{ clock, signal: stop.signal, onCounted: () => void counted++ },
    log: { ...silentLog, warn: () => warn() },
    journal: { ...journal, pending: () => (broken ? Promise.reject(new Error('no disk')) : journal.pending()) },
  }
  await keepCounting(options)
  expect(counted).toBe(1)
  broken = true
  await clock.advance(60_000)
  expect([counted, broken]).toEqual([1, false])
  await clock.advance(60_000)
  expect(counted).toBe(2)
  stop.abort()
  await clock.advance(120_000)
  expect([counted, clock.sleeping()]).toEqual([2, 0])
})
