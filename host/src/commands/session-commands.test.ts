import { expect, test } from 'vitest'
import { priceListOf } from '#models/testing/price-list-of.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { titleCommand, usageCommand } from './session-commands.ts'
import type { SlashCall } from './slash.ts'

test('a title that is taken gets the next number, also in a session that has begun', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const create = { key: null, source: 'irc', provider: 'p', model: 'm', system: '', tools: '[]', workspace: '/' }
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  for (const session of ['ses_a', 'ses_b'])
    await sessions.commit({ session: { id: session, create }, at: 1, messages: [], usage, calls: 0 })
  const said: string[] = []
  const title = (session: string, args: string) =>
    titleCommand.run({
      args,
      door: { session: () => session, say: (text: string) => said.push(text) },
      services: { sessions },
    } as unknown as SlashCall)
  await title('ses_a', 'My plan')
  await title('ses_b', 'My \u200b plan')
  await title('ses_b', 'Other')
  expect(said).toEqual([
    'This session is called "My plan".',
    'That title is taken; this session is called "My plan #2".',
    'This session is called "Other".',
  ])
})

/** Somebody asks `/usage` in the session `ses_a`. */
function askUsage(kept: object, known: Parameters<typeof priceListOf>[0]) {
  const said: string[] = []
  const prices = priceListOf(known)
  const ask = () =>
    usageCommand.run({
      args: '',
      door: { session: () => 'ses_a', say: (text: string) => said.push(text) },
      services: { ...kept, prices, pressure: async () => undefined },
    } as unknown as SlashCall)
  return { ask, said }
}

test('/usage counts child agents and tasks beside the conversation, and what they cost', async () => {
  await using place = await createTemporaryStore()
  const { sessions, usage: ledger } = await place.open()
  const usage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 0, reasoning: 0 }
  const store = (id: string, parent?: string) =>
    sessions.commit({
      session: { id, create: { source: parent ? 'subagent' : 'irc', provider: 'far', model: 'm', system: '', tools: '[]', parent } },
      ...{ at: place.clock.time, messages: [], usage, calls: 1 },
    } as Parameters<typeof sessions.commit>[0])
  await store('ses_a')
  const { ask, said } = askUsage({ sessions, usage: ledger }, [{ provider: 'far', model: 'm', input: 100, output: 100, cache_read: 100 }])
  const spent = { source: 'irc', person: '', provider: 'far', model: 'm', calls: 1, usage }
  await ledger.add([{ ...spent, session: 'ses_a' }])
  await ask()
  await ledger.add([{ ...spent, session: 'ses_a', source: 'title_generation' }])
  await ask()
  await store('ses_b', 'ses_a')
  await store('ses_c', 'ses_b')
  await store('ses_z', 'ses_y')
  await ledger.add(['ses_b', 'ses_c', 'ses_z'].map((session) => ({ ...spent, session })))
  await ask()
  const own = '1 model call, 10 tokens in and 5 out (4 from cache).'
  expect(said).toEqual([
    `${own} Model: far/m. Cost: $0.0015.`,
    `${own} In all with tasks beside it: 2 model calls, 20 tokens in and 10 out (8 from cache). Model: far/m. Cost: $0.003.`,
    `${own} In all with 2 child agents and tasks beside it: 4 model calls, 40 tokens in and 20 out (16 from cache). Model: far/m. Cost: $0.006.`,
  ])
})

test('/usage names each model that was asked in its session, also after the session went on with another', async () => {
  await using place = await createTemporaryStore()
  const { sessions, usage: ledger } = await place.open()
  const create = { source: 'irc', provider: 'far', model: 'first', system: '', tools: '[]' }
  const usage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 0, reasoning: 0 }
  await sessions.commit({ session: { id: 'ses_a', create }, at: place.clock.time, messages: [], usage, calls: 3 })
  const own = [{ provider: 'far', model: 'second', input: 2, output: 1000, cache_read: 1 }]
  const { ask, said } = askUsage({ sessions, usage: ledger }, own)
  const spent = { session: 'ses_a', source: 'irc', person: 'mira', provider: 'far', model: 'first', calls: 1, usage }
  await ask()
  await ledger.add([
    { ...spent, model: 'second' },
    { ...spent, session: 'ses_b', model: 'of another' },
  ])
  await ask()
  place.clock.time += 24 * 3_600_000
  await ledger.add([{ ...spent, model: 'second' }, spent])
  await ask()
  const took = '3 model calls, 10 tokens in and 5 out (4 from cache).'
  expect(said).toEqual([
    `${took} Model: far/first.`,
    `${took} Model: far/second. Cost: $0.005.`,
    `${took} Models: far/second (2 calls), far/first (1 call). Cost: ≥ $0.01.`,
  ])
})
