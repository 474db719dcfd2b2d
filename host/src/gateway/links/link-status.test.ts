import { expect, test } from 'vitest'
import { createLinkRecord, newStatus } from './link-status.ts'

const hours = 3_600_000
const error = { code: 'PLATFORM_LOST', params: {} } as const

function open() {
  let now = 1_000
  const told: string[] = []
  const record = createLinkRecord(
    'talk',
    () => now,
    ({ state }) => told.push(state),
  )
  return { record, told, pass: (ms: number) => (now += ms) }
}

test('a platform that has not been tried yet needs nobody', () => {
  const about = { platform: 'talk', state: 'starting', since: 7, attempts: 0, lastHeard: null, silences: 0, needsAttention: false }
  expect(newStatus('talk', 7)).toEqual(about)
})

test('each change is told; attempts stay until others are said, an error goes with the state it belongs to', () => {
  const { record, told } = open()
  record.change('retrying', { attempts: 3, error })
  expect(record.status()).toMatchObject({ state: 'retrying', attempts: 3, error })
  record.change('paused')
  expect(record.status()).toMatchObject({ state: 'paused', attempts: 3 })
  expect(record.status().error).toBeUndefined()
  expect(told).toEqual(['retrying', 'paused'])
})

test('two hours of trouble ask for attention, counted from its beginning and not across what went well between', () => {
  const { record, pass } = open()
  const needs = () => record.status().needsAttention
  record.change('connected')
  pass(3 * hours)
  record.change('retrying', { error })
  pass(2 * hours - 1)
  record.change('retrying', { error })
  expect(needs()).toBe(false)
  pass(1)
  record.change('retrying', { error })
  expect(needs()).toBe(true)
  record.recover()
  record.change('retrying', { error })
  expect(needs()).toBe(false)
})

test('what is heard counts for the connection that stands from its first moment on, and not before', () => {
  const { record, pass } = open()
  record.change('connected')
  const since = record.status().since
  record.hear(since - 1)
  expect(record.status().lastHeard).toBeNull()
  record.hear(since)
  expect(record.status().lastHeard).toBe(since)
  pass(1_000)
  record.change('degraded')
  record.hear(since + 500)
  expect(record.status()).toMatchObject({ state: 'degraded', lastHeard: since + 500 })
})
