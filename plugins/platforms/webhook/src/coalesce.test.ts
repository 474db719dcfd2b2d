import type { InboundMessage, State, Wire } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { openCoalescer } from './coalesce.ts'
import { config } from './config.ts'
import { loadRoutes } from './settings.ts'

function openState(): State & { readonly values: Map<string, Wire> } {
  const values = new Map<string, Wire>()
  return {
    values,
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, structuredClone(value)),
    delete: async (key) => void values.delete(key),
  }
}

async function openRig(state = openState(), clock: FakeClock = createFakeClock()) {
  const extra = { secret: 's', routes: { ci: { coalesce: { key: 'x', window_seconds: 10, max_wait_seconds: 25 } } } }
  const routes = await loadRoutes(config.parse(extra), { find: async () => undefined, get: async () => '' })
  const life = new AbortController()
  const messages: InboundMessage[] = []
  const failures: unknown[] = []
  const faults: Error[] = []
  const coalescer = await openCoalescer({
    ...{ state, clock, routes, signal: life.signal },
    accept: async (message) => {
      messages.push(message)
      const fault = faults.shift()
      if (fault) throw fault
    },
    onFailure: (error) => failures.push(error),
  })
  const route = routes.get('ci')
  if (!route) throw new Error('the route is not there')
  const add = (id: string, key = 'k') => coalescer.add(route, { id, key, text: `text ${id}` })
  return { state, clock, life, messages, failures, faults, add, texts: () => messages.map(({ text }) => text) }
}

test('events with one key are one message after a silence, others are separate messages', async () => {
  const { clock, add, messages, texts } = await openRig()
  expect(await add('1')).toBe(true)
  await clock.advance(9000)
  await add('2')
  await clock.advance(1)
  await add('3', 'other')
  await clock.advance(9998)
  expect(messages).toEqual([])
  await clock.advance(2)
  expect(texts()).toEqual(['text 1\n\n---\n\ntext 2', 'text 3'])
  expect(messages.map(({ id }) => id)).toEqual(['ci/coalesced:1', 'ci/coalesced:3'])
  await add('4')
  await clock.advance(10_000)
  expect(texts().at(-1)).toBe('text 4')
})

test('who never falls silent is heard after the longest wait', async () => {
  const { clock, add, texts } = await openRig()
  for (const id of ['1', '2', '3', '4']) {
    await add(id)
    await clock.advance(8000)
  }
  expect(texts()).toEqual(['text 1\n\n---\n\ntext 2\n\n---\n\ntext 3\n\n---\n\ntext 4'])
})

test('a repetition is known before and after its message', async () => {
  const { clock, add, messages } = await openRig()
  await add('1')
  expect(await add('1')).toBe(false)
  await clock.advance(10_000)
  expect(await add('1')).toBe(false)
  await clock.advance(60_000)
  expect(messages).toHaveLength(1)
})

test('what waits outlives the connection, and a message that failed is the same when it comes again', async () => {
  const first = await openRig()
  await first.add('1')
  first.life.abort()
  await first.clock.advance(10_000)
  expect([first.messages, first.failures]).toEqual([[], []])

  const second = await openRig(first.state, first.clock)
  second.faults.push(new Error('no host'))
  await second.clock.advance(0)
  expect([second.texts(), second.failures]).toEqual([['text 1'], [expect.objectContaining({ message: 'no host' })]])
  await second.add('2')
  second.life.abort()

  const third = await openRig(first.state, first.clock)
  await third.clock.advance(10_000)
  expect(third.texts()).toEqual(['text 1', 'text 2'])
  expect(third.messages[0]).toEqual(second.messages[0])
})

test('a crowd of events is counted where it has no room', async () => {
  const { clock, add, texts } = await openRig()
  for (let id = 0; id < 53; id += 1) await add(String(id))
  await clock.advance(10_000)
  expect(texts()[0]?.split('\n\n---\n\n')).toHaveLength(51)
  expect(texts()[0]).toMatch(/\(3 more events of the same kind had no room\)$/)
})

test('state that cannot be read begins again, empty', async () => {
  const state = openState()
  state.values.set('coalesced', { groups: 7 })
  const { clock, add, texts } = await openRig(state)
  await add('1')
  await clock.advance(10_000)
  expect(texts()).toEqual(['text 1'])
})
