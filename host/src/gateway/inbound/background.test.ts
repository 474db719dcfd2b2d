import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim } from '#store/journal.ts'
import { messageOf } from '#store/testing/messages.ts'
import { createRunningTurns } from '../conversation/running-turns.ts'
import { startBackground } from './background.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job } from './job.ts'

async function start(prompt: string, { attempts = 1, busy = [] }: { attempts?: number; busy?: readonly boolean[] } = {}) {
  const did: string[] = []
  const running = createRunningTurns(() => 0)
  const claim = { seq: 7, platform: 'talk', message: messageOf('1'), attempts } as Claim
  const { signal } = new AbortController()
  for (const background of busy) running.begin(claim, { sessionKey: 'other', background }, signal)
  const inbox = {
    ...{ running, clock: createFakeClock(), log: silentLog },
    replies: { parts: async (_: Claim, text: string) => [{ text }] },
    journal: {
      putOutOfTurn: async () => void did.push('made room'),
      say: async (_: Claim, [part]: readonly { text: string }[]) => void did.push(part?.text ?? ''),
    },
  } as unknown as InboxParts
  const job = { claim, sessionKey: 'key', stop: signal, atEnd: [] } as unknown as Job
  return { outcome: await startBackground(inbox, job, prompt), did, job }
}

test('work beside a conversation is told once, by the beginning of what is wanted, and has its own session', async () => {
  const whole = await start('x'.repeat(60))
  expect(whole.did).toEqual(['made room', `I work on it in the background: ${'x'.repeat(60)}`])
  expect([whole.outcome, whole.job.background, whole.job.running?.sessionKey]).toEqual([undefined, 'x'.repeat(60), 'key:background:7'])
  const long = await start(`${'x'.repeat(60)}y`)
  expect(long.job.background).toBe(`${'x'.repeat(60)}…`)
  expect((await start('again', { attempts: 2 })).did).toEqual(['made room'])
})

test('it takes four places, and what the conversation itself does takes none of them', async () => {
  expect((await start('more', { busy: [true, true, true, false, false] })).outcome).toBeUndefined()
  const full = await start('more', { busy: [true, true, true, true] })
  expect(full).toMatchObject({ outcome: { state: 'answered', text: expect.stringContaining('on 4 things') }, did: [] })
})
