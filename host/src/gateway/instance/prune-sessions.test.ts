import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { AgeRule } from '#store/sessions.ts'
import { keepPruning } from './prune-sessions.ts'

const day = 24 * 3_600_000

function open(auto_prune: boolean) {
  const clock = createFakeClock()
  const over = new AbortController()
  const rules: AgeRule[] = []
  const now = { isBroken: false }
  const sessions = {
    old: async (rule: AgeRule) => {
      rules.push(rule)
      if (now.isBroken) throw new Error('busy')
      return [{ id: 'ses_a' }] as never
    },
    deleteOld: async () => 1,
  }
  const config = { sessions: { auto_title: true, auto_prune, retention_days: 30 } }
  const pruning = keepPruning({ store: { sessions }, loaded: { config }, clock, log: silentLog, signal: over.signal })
  return { clock, over, rules, now, config, pruning }
}

test('old sessions go at the start and once a day, those with a title of a person never, and a failure is no end', async () => {
  const { clock, over, rules, now, pruning } = open(true)
  await expect.poll(() => rules.length).toBe(1)
  expect(rules[0]).toEqual({ before: clock.now() - 30 * day, keep: 0, titled: false })
  now.isBroken = true
  await clock.advance(day)
  await expect.poll(() => rules.length).toBe(2)
  await clock.advance(day)
  await expect.poll(() => rules.length).toBe(3)
  over.abort()
  await pruning
})

test('nothing goes by itself unless the settings want it, which a reload may change', async () => {
  const { clock, over, rules, config, pruning } = open(false)
  await clock.advance(day)
  expect(rules).toEqual([])
  config.sessions.auto_prune = true
  await clock.advance(day)
  await expect.poll(() => rules.length).toBe(1)
  over.abort()
  await pruning
})
