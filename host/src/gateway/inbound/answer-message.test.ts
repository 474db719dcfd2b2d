import type { InboundMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Verdict } from '../authorise/gates.ts'
import { answerMessage } from './answer-message.ts'
import type { InboxParts } from './inbox-parts.ts'

const hello: InboundMessage = {
  id: '1',
  account: 'bot',
  conversation: { id: 'eve', kind: 'dm' },
  sender: { id: 'eve', isBot: false },
  text: '/help',
  addressed: true,
}
const never = (): never => {
  throw new Error('the agent was asked')
}

type Given = Partial<Pick<InboxParts['reception'], 'judge' | 'greet'>>

/** What is sent to somebody; what needs a command or the agent fails. */
async function answersOf(reception: Given, message: InboundMessage = hello, isStopped = false): Promise<readonly string[]> {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('chat', message)
  const claim = await journal.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  const inbox = {
    ...{ journal, home: { profile: 'default' }, clock: place.clock, log: silentLog },
    reception: { judge: never, greet: never, ...reception },
    messageHooks: { refusal: async () => undefined },
    catalog: { find: () => ({ spec: { gate: 'source' } }), contributions: never },
    threads: { join: () => undefined },
    rules: { of: () => ({ settings: {} }) },
    people: { reply: never },
    replies: {
      parts: async (_: unknown, text: string) => {
        await new Promise(setImmediate)
        return [{ text }]
      },
    },
  } as unknown as InboxParts
  const stop = new AbortController()
  if (isStopped) stop.abort()
  await answerMessage(inbox, claim, { outOfTurn: false, stop: stop.signal })
  const said: string[] = []
  if ((await journal.pending()).some(({ inbox: waiting }) => waiting > 0)) said.push('nothing yet')
  for (let send = await journal.claimSend('boot'); send; send = await journal.claimSend('boot')) {
    said.push(send.message.text)
    await journal.settleSend(send, { status: 'sent', platformId: 'x' })
  }
  return said
}
const judged = (verdict: Verdict) => () => verdict

test('a stranger is sent the greeting and nothing else', async () => {
  expect(await answersOf({ judge: judged('stranger'), greet: async () => 'Your code.' })).toEqual(['Your code.'])
  expect(await answersOf({ judge: judged('stranger'), greet: async () => undefined })).toEqual([])
})

test('who is not let in is not greeted, and never told what went wrong', async () => {
  for (const verdict of ['not-allowed', 'from-a-bot', 'not-addressed'] as const)
    expect(await answersOf({ judge: judged(verdict), greet: never }), verdict).toEqual([])
  const broken = () => Promise.reject(fail('STORE_CORRUPT', { file: '/secret', moved: '/secret.1' }))
  expect(await answersOf({ judge: judged('stranger'), greet: broken })).toEqual([])
  expect(await answersOf({ judge: never, greet: never })).toEqual([])
})

test('who is let in is told', async () => {
  expect(await answersOf({ judge: judged('pass'), greet: never })).toEqual([expect.stringMatching(/^Something inside agent failed/)])
})

test('a text that is its own answer asks neither a command nor the agent', async () => {
  const verbatim = { ...hello, text: '/new roses', verbatim: true } as const
  expect(await answersOf({ judge: judged('pass'), greet: never }, verbatim)).toEqual(['/new roses'])
})

test('what a shutdown or another gateway has taken away is not answered here', async () => {
  const broken = () => {
    throw new Error('it stops')
  }
  expect(await answersOf({ judge: broken }, hello, true)).toEqual(['nothing yet'])
  const lost = () => {
    throw fail('CLAIM_LOST', { what: 'The message' })
  }
  expect(await answersOf({ judge: lost })).toEqual(['nothing yet'])
})
