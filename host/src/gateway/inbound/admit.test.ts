import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { talkSpec } from '../testing/talk.ts'
import { admit } from './admit.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job } from './job.ts'

const inRoom = { id: 'room', kind: 'group' } as const

interface Given {
  readonly verdict?: string
  readonly observes?: boolean
  readonly outOfTurn?: boolean
  readonly isKnown?: boolean
  readonly conversation?: InboundMessage['conversation']
}

/** What is kept of a message for those to come. */
async function kept({ verdict = 'pass', observes = false, outOfTurn = false, isKnown = true, conversation = inRoom }: Given = {}) {
  const did: unknown[] = []
  const inbox = {
    reception: { judge: () => did.push('judged') && verdict, greet: async () => 'Your code.' },
    messageHooks: { refusal: async () => undefined },
    catalog: { find: () => (isKnown ? { spec: talkSpec() } : undefined) },
    directory: { note: async (...about: readonly unknown[]) => did.push(about) },
    overheard: { add: () => did.push('overheard') },
    threads: { join: () => did.push('joined') },
    log: silentLog,
  } as unknown as InboxParts
  const message = { id: '1', account: 'bot', text: 'hi', addressed: true, conversation, sender: { id: 'ann', name: 'Ann', isBot: false } }
  const job = {
    claim: { platform: 'talk', message },
    settings: { observe_unmentioned_group_messages: observes },
    outOfTurn,
  } as unknown as Job
  const outcome = await admit(inbox, job)
  return { did, outcome, admitted: job.admitted }
}

const noted = (conversation: object): unknown => ['talk', 'bot', conversation]

test('who is let in takes part, and where they write is noted under its name', async () => {
  expect(await kept()).toEqual({ did: ['judged', noted(inRoom)], outcome: undefined, admitted: true })
  const thread = { id: 't', kind: 'thread', parent: 'room' } as const
  expect((await kept({ conversation: thread })).did).toEqual(['judged', noted(thread), 'joined'])
  expect((await kept({ conversation: thread, verdict: 'not-addressed' })).did).toEqual(['judged', noted(thread)])
  const direct = { id: 'ann', kind: 'dm' } as const
  expect((await kept({ conversation: direct })).did[1]).toStrictEqual(noted({ ...direct, name: 'Ann' }))
  expect((await kept({ conversation: { ...inRoom, name: 'Garden' } })).did[1]).toStrictEqual(noted({ ...inRoom, name: 'Garden' }))
  expect((await kept()).did[1]).toStrictEqual(noted(inRoom))
  expect((await kept({ isKnown: false })).did).toContainEqual(noted(inRoom))
})

test('what is said to others is overheard where the owner wants it, and nobody takes part by it', async () => {
  const aside = await kept({ verdict: 'not-addressed' })
  expect(aside).toEqual({ did: ['judged', noted(inRoom)], outcome: { state: 'dropped', text: undefined }, admitted: false })
  expect((await kept({ verdict: 'not-addressed', observes: true })).did).toEqual(['judged', noted(inRoom), 'overheard'])
  expect((await kept({ verdict: 'stranger', observes: true })).did).toEqual(['judged'])
})

test('what passes by was judged and noted before', async () => {
  expect(await kept({ outOfTurn: true, verdict: 'stranger' })).toEqual({ did: [], outcome: undefined, admitted: true })
})
