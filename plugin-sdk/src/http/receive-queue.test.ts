import { expect, test } from 'vitest'
import type { Accepted, InboundMessage } from '../contract/messages.ts'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { createReceiveQueue, type ReceiveQueueOptions } from './receive-queue.ts'

const messageOf = (id: string) => ({ id }) as InboundMessage

function openRig(more: Partial<ReceiveQueueOptions> = {}) {
  const clock = createFakeClock()
  const life = new AbortController()
  const offered: string[] = []
  const notes: string[] = []
  const answers: (Accepted | Error)[] = []
  const offer = createReceiveQueue({
    receive: async ({ id }) => {
      offered.push(id)
      const answer = answers.shift() ?? { status: 'accepted' }
      if (answer instanceof Error) throw answer
      return answer
    },
    clock,
    signal: life.signal,
    pause: () => notes.push('pause'),
    resume: () => notes.push('resume'),
    onFailure: (error) => notes.push(String(error)),
    ...more,
  })
  return { clock, life, offered, notes, answers, offer: (id: string) => offer(messageOf(id)) }
}

test('messages go in one after the other, a busy host is asked again, and each resolves when it is taken', async () => {
  const { clock, offered, answers, offer } = openRig()
  answers.push(
    { status: 'accepted' },
    { status: 'busy', retryAfterMs: 500 },
    { status: 'busy', retryAfterMs: 500 },
    { status: 'duplicate' },
  )
  const taken: string[] = []
  for (const id of ['1', '2', '3']) void offer(id).then(() => taken.push(id))
  await clock.advance(999)
  expect([offered, taken]).toEqual([['1', '2', '2'], ['1']])
  await clock.advance(1)
  expect([offered, taken]).toEqual([
    ['1', '2', '2', '2', '3'],
    ['1', '2', '3'],
  ])
})

test('reading stops once when too many wait, and goes on once when there is room', async () => {
  const { clock, notes, answers, offer } = openRig({ mostWaiting: 3 })
  answers.push({ status: 'busy', retryAfterMs: 100 })
  const all = ['1', '2', '3', '4', '5'].map(offer)
  expect(notes).toEqual(['pause'])
  await clock.advance(100)
  await Promise.all(all)
  expect(notes).toEqual(['pause', 'resume'])
})

test('after a failure nothing overtakes: it is told once, and what follows is not handed in', async () => {
  const { notes, offered, answers, offer } = openRig()
  answers.push(new Error('no host'))
  const results = await Promise.allSettled(['1', '2', '3'].map(offer))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect([offered, notes]).toEqual([['1'], ['Error: no host']])
})

test('the end of the connection ends the waiting, and is no failure', async () => {
  const { clock, life, notes, answers, offered, offer } = openRig()
  answers.push({ status: 'busy', retryAfterMs: 1000 })
  const waiting = [offer('1'), offer('2')]
  await clock.advance(10)
  life.abort(new Error('gone'))
  expect((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected')).toBe(true)
  await expect(offer('3')).rejects.toThrow('gone')
  expect([notes, offered, clock.sleeping()]).toEqual([[], ['1'], 0])
})
