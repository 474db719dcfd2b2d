import type { InboundMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim, WaitingMessage } from '#store/journal.ts'
import { createRunningTurns } from '../conversation/running-turns.ts'
import { talkSpec } from '../testing/talk.ts'
import { gather, steer } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job } from './job.ts'

const said = (text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ id: text, account: 'bot', text, addressed: true, conversation: { id: 'room', kind: 'group', parent: 'hall' } },
  sender: { id: 'ann', isBot: false },
  ...more,
})

interface Given {
  readonly waiting?: readonly InboundMessage[]
  /** What the journal answers instead, from the second time it is asked. */
  readonly broken?: Error
  readonly expects?: string
  readonly refuses?: string
  readonly guards?: boolean
  readonly taken?: readonly number[]
  readonly isKnown?: boolean
  readonly prompts?: Readonly<Record<string, string>>
  readonly message?: InboundMessage
  readonly overhears?: boolean
  readonly change?: Partial<Job>
}

function open({ waiting = [], broken, guards = false, taken, isKnown = true, prompts = {}, message = said('first'), ...given }: Given) {
  const did: unknown[] = []
  const settings = {
    busy_input_mode: 'interrupt',
    group_sessions_per_user: true,
    thread_sessions_per_user: false,
    channel_prompts: prompts,
  }
  let looked = 0
  const inbox = {
    ...{ home: { profile: 'default' }, clock: createFakeClock(1_000_000), running: createRunningTurns(() => 0) },
    log: { ...silentLog, error: (_: string, about: unknown) => did.push(about) },
    services: {},
    catalog: { find: () => (isKnown ? { spec: talkSpec({ limits: { quietMs: 600 } }) } : undefined), of: () => [] },
    rules: { of: () => ({ settings }) },
    people: { expects: (_: string, { text }: InboundMessage) => text === given.expects },
    reception: { judge: (_: string, { text }: InboundMessage) => (text === given.refuses ? 'stranger' : 'pass'), isKnown: () => true },
    messageHooks: { guards: () => guards },
    overheard: { take: () => (given.overhears ? [said('lunch at noon')] : []) },
    outOfTurn: { add: (seq: number) => did.push(`${seq} passes`) },
    reset: async (key: string) => {
      await new Promise(setImmediate)
      did.push(`reset ${key}`)
    },
    journal: {
      waiting: async () => {
        did.push('looked')
        looked += 1
        if (broken && looked > 1) throw broken
        return waiting.map((each, at): WaitingMessage => ({ seq: at + 2, receivedAt: 0, message: each }))
      },
      absorb: async (_: unknown, seqs: readonly number[]) => {
        did.push(seqs)
        return taken ?? seqs
      },
    },
  } as unknown as InboxParts
  const claim = { seq: 1, platform: 'talk', message, receivedAt: 0 } as Claim
  const job = {
    ...{
      claim,
      settings,
      sessionKey: 'key',
      shared: false,
      outOfTurn: false,
      stop: new AbortController().signal,
      heard: message,
      atEnd: [],
    },
    ...given.change,
  } as unknown as Job
  return { inbox, job, did }
}

test.each<[string, Partial<InboundMessage>, Given?]>([
  ['a text that is its own answer', { verbatim: true }],
  ['one whose answer goes elsewhere', { deliver: 'local' }],
  ['one with what a program is to be told', { instructions: 'Be brief.' }],
  ['a command', { text: '/version' }],
  ['what a bot says', { sender: { id: 'ann', isBot: true } }],
  ['what somebody else says', { sender: { id: 'bert', isBot: false } }],
  ['what belongs to another session', { conversation: { id: 'elsewhere', kind: 'group' } }],
  ['a message with files', { media: [{ id: '1', kind: 'document', mime: 'text/plain' }] }],
  ['the answer to a question', { text: 'yes' }, { expects: 'yes' }],
  ['what the gates refuse', { text: 'aside' }, { refuses: 'aside' }],
])('a running turn hears what its writer adds, and nothing from %s on', async (_, odd, given) => {
  const { inbox, job, did } = open({ ...given, waiting: [said('shorter'), said('odd', odd), said('in French')] })
  expect(await steer(inbox, job)).toEqual(['shorter'])
  expect(did).toEqual(['looked', [2]])
})

test('all that waits is added, but for what went its own way meanwhile', async () => {
  const waiting = [said('shorter'), said('in French')]
  const all = open({ waiting })
  expect(await steer(all.inbox, all.job)).toEqual(['shorter', 'in French'])
  const left = open({ waiting, taken: [3] })
  expect(await steer(left.inbox, left.job)).toEqual(['in French'])
  for (const given of [{}, { waiting, guards: true }]) {
    const none = open(given)
    expect([await steer(none.inbox, none.job), none.did]).toEqual([[], ['looked']])
  }
})

test.each(['STORE_FULL', 'STORE_BUSY'] as const)('what cannot be written down now (%s) waits for its own turn', async (code) => {
  const running = open({ broken: fail(code, { file: 'state.db' }) })
  await running.inbox.journal.waiting(running.job.claim, 1)
  expect(await steer(running.inbox, running.job)).toEqual([])
  expect(running.did.at(-1)).toEqual({ code })
  const before = open({ waiting: [said('second')], broken: fail(code, { file: 'state.db' }) })
  expect(await gather(before.inbox, before.job)).toBeUndefined()
  expect(before.job.heard.text).toBe('first')
  expect(before.job.running?.gathering).toBe(false)
})

test.each([new Error('broken'), fail('CLAIM_LOST', { what: 'The message' })])('any other fault is one: %s', async (broken) => {
  const running = open({ broken })
  await running.inbox.journal.waiting(running.job.claim, 1)
  await expect(steer(running.inbox, running.job)).rejects.toBe(broken)
  const before = open({ broken })
  await expect(gather(before.inbox, before.job)).rejects.toBe(broken)
})

test('what runs already gathers nothing, and what was to pass by goes back into the order', async () => {
  const { inbox, job, did } = open({ change: { outOfTurn: true } })
  expect(await gather(inbox, job)).toEqual({ state: 'released' })
  const running = open({ change: { running: {} } as never })
  expect(await gather(running.inbox, running.job)).toBeUndefined()
  expect([did, running.did]).toEqual([[], []])
})

test('the session is looked at first; commands that wait pass by, and words are gathered', async () => {
  const { inbox, job, did } = open({ waiting: [said('second'), said('/version')] })
  expect(await gather(inbox, job)).toBeUndefined()
  expect(did).toEqual(['reset key', 'looked', '3 passes', 'looked', [2]])
  expect([job.running?.signal.aborted, inbox.running.inConversation('talk', job.claim.message)]).toEqual([false, [job.running]])
  expect(job.heard.text).toBe('first\n\nsecond')
})

test('where nothing is known of the platform a message is heard alone', async () => {
  const { inbox, job } = open({ waiting: [said('second')], isKnown: false })
  await gather(inbox, job)
  expect(job.heard.text).toBe('first')
})

test('what was overheard comes with a turn in a room, and so does what the owner wants said there or in what it is a part of', async () => {
  const heardWith = async (given: Given): Promise<InboundMessage> => {
    const { inbox, job } = open({ ...given, overhears: true })
    await gather(inbox, job)
    return job.heard
  }
  const direct = said('first', { conversation: { id: 'ann', kind: 'dm' } })
  expect(await heardWith({ message: direct })).toMatchObject({ text: 'first' })
  const inRoom = await heardWith({ prompts: { room: 'Speak French.', hall: 'Be brief.' } })
  expect([inRoom.text.includes('lunch at noon'), inRoom.instructions]).toEqual([true, expect.stringContaining('Speak French.')])
  expect((await heardWith({ prompts: { hall: 'Be brief.' } })).instructions).toContain('Be brief.')
})
