import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { RunningTurn } from '../conversation/running-turns.ts'
import { sessionKey } from '../rules/session-key.ts'
import { talkSpec } from '../testing/talk.ts'
import type { InboxParts } from './inbox-parts.ts'
import { takeArrival } from './take-arrival.ts'

const message = (text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ id: '1', account: 'bot', conversation: { id: 'room', kind: 'group' }, sender: { id: 'ann', isBot: false } },
  ...{ text, addressed: true, ...more },
})
const settings = { busy_input_mode: 'interrupt', group_sessions_per_user: true, thread_sessions_per_user: false }
const key = (sender: string) =>
  sessionKey({ profile: 'default', platform: 'talk', settings }, message('', { sender: { id: sender, isBot: false } }))

interface Given {
  readonly running?: Partial<RunningTurn> | 'nothing'
  readonly mode?: string
  readonly gate?: 'source' | 'sender'
  readonly verdict?: string
  /** Whether a question is open that the message answers. */
  readonly expects?: boolean
  readonly fails?: boolean
  /** Nothing is known of its platform now. */
  readonly isGone?: boolean
}

/** What becomes of a message that arrives while something runs in its conversation. */
function arrive(text: string, { running = {}, mode = 'interrupt', gate = 'sender', verdict = 'pass', ...given }: Given = {}, more = {}) {
  const did: unknown[] = []
  const claim = { seq: 4 }
  const turn = { sessionKey: key('ann'), background: false, gathering: false, claim, interrupt: () => did.push('interrupted') }
  const inbox = {
    home: { profile: 'default' },
    services: {},
    catalog: {
      find: () => (given.isGone ? undefined : { spec: talkSpec({ gate }) }),
      of: () => [
        {
          id: 'jokes',
          spec: { commands: [{ name: 'joke', aliases: [], summary: 'Tells one', surfaces: ['gateway'], prompt: 'Tell a joke.' }] },
        },
      ],
    },
    rules: { of: () => ({ settings: { ...settings, busy_input_mode: mode } }) },
    running: { inConversation: () => (running === 'nothing' ? [] : [{ ...turn, ...running }]) },
    people: {
      expects: () => {
        if (given.fails) throw new Error('no')
        return given.expects === true
      },
    },
    reception: { judge: () => did.push('judged') && verdict },
    outOfTurn: { add: (seq: number) => did.push(`passes ${seq}`) },
    log: { error: (_text: string, about: object) => did.push(about) },
  } as unknown as InboxParts
  takeArrival(inbox, { platform: 'talk', message: message(text, more), seq: 5 })
  return did
}

test('words interrupt what runs in their session, where that is wanted', () => {
  expect(arrive('stop it')).toEqual(['judged', 'interrupted'])
  expect(arrive('stop it', { isGone: true })).toEqual(['judged', 'interrupted'])
  for (const mode of ['queue', 'steer']) expect(arrive('stop it', { mode })).toEqual(['judged'])
})

test.each([
  ['of somebody else', { sessionKey: key('bert') }],
  ['in the background', { background: true }],
  ['that is still gathering what belongs to it', { gathering: true }],
  ['that came later', { claim: { seq: 5 } }],
] as const)('work %s is not interrupted', (_what, running) => {
  expect(arrive('words', { running: running as Partial<RunningTurn> })).toEqual(['judged'])
})

test('commands pass by, and answers to questions without being judged; commands that ask the agent interrupt like words', () => {
  expect(arrive('/status')).toEqual(['judged', 'passes 5'])
  expect(arrive('yes', { expects: true, verdict: 'stranger' })).toEqual(['passes 5'])
  expect(arrive('/status', { verdict: 'stranger' })).toEqual(['judged'])
  expect(arrive('/joke')).toEqual(['judged', 'interrupted'])
})

test('a program that calls again interrupts nothing', () => {
  expect(arrive('again', { gate: 'source' })).toEqual(['judged'])
})

test('what bots say and what is its own answer waits, and so does everything where nothing runs', () => {
  expect(arrive('words', {}, { sender: { id: 'ann', isBot: true } })).toEqual([])
  expect(arrive('words', {}, { verbatim: true })).toEqual([])
  expect(arrive('words', { running: 'nothing' })).toEqual([])
})

test('what goes wrong is logged, and the message waits for its turn', () => {
  expect(arrive('words', { fails: true })).toEqual([{ platform: 'talk', error: 'Error: no' }])
})
