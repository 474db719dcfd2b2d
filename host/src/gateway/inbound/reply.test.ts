import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'
import { reply } from './reply.ts'

async function write(outcome: Outcome) {
  const did: unknown[] = []
  const later =
    (what: string) =>
    async (_claim: unknown, more?: unknown): Promise<void> => {
      await new Promise(setImmediate)
      did.push(more === undefined ? what : [what, more])
    }
  const inbox = {
    ...{ clock: createFakeClock(), log: silentLog },
    journal: { release: later('released'), answer: later('answered') },
    replies: { parts: async (_: unknown, text: string) => [{ text }] },
  } as unknown as InboxParts
  const job = { claim: {}, stop: new AbortController().signal } as unknown as Job
  await reply(inbox, job, outcome)
  return { did, mood: job.mood }
}

test('an outcome is written down as a whole, and what is given back is not answered', async () => {
  expect(await write({ state: 'answered', text: 'Hi', mood: 'done' })).toEqual({
    ...{ did: [['answered', { outbound: [{ text: 'Hi' }], turn: null, state: 'answered' }]], mood: 'done' },
  })
  expect(await write({ state: 'dropped' })).toEqual({
    ...{ did: [['answered', { outbound: [], turn: null, state: 'dropped' }]], mood: undefined },
  })
  expect((await write({ state: 'released' })).did).toEqual(['released'])
})
