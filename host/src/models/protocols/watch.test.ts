import type { Clock, ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { collect, createDeps, createRequest, createTestCall } from '../testing/model-call.ts'
import { openOpenaiChat } from './openai-chat/openai-chat.ts'

/** A clock that a test turns forward; sleepers wake in order. */
function createManualClock(): Clock & { advance(ms: number): Promise<void> } {
  let now = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(signal?.reason)
        const wake = (): void => {
          signal?.removeEventListener('abort', refuse)
          resolve()
        }
        sleepers.add({ at: now + ms, wake })
        signal?.addEventListener('abort', refuse, { once: true })
      }),
    async advance(ms) {
      now += ms
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      // What woke may go to sleep again before time moves on.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const line = (text: string): Uint8Array => new TextEncoder().encode(`data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`)

function openSilentAnswer(clock: Clock, begin?: string) {
  let push: (text: string) => void = () => undefined
  let aborted: unknown
  const send: typeof fetch = async (_url, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        push = (text) => controller.enqueue(line(text))
        if (begin) push(begin)
        init?.signal?.addEventListener('abort', () => {
          aborted = init.signal?.reason
          controller.error(init.signal?.reason)
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const events = collect(openOpenaiChat(createDeps({ fetch: send, clock }))(createRequest(), createTestCall()))
  return { events, push: (text: string) => push(text), wasAborted: () => aborted !== undefined }
}

const timeout = (detail: string): ModelEvent => ({
  type: 'failed',
  class: 'timeout',
  error: { code: 'MODEL_TIMEOUT', params: { provider: 'fake', detail } },
})

test('an answer that falls silent is given up after three minutes, and its connection is closed', async () => {
  const clock = createManualClock()
  const answer = openSilentAnswer(clock, 'one')
  await clock.advance(0)
  await clock.advance(179_000)
  answer.push('two')
  await clock.advance(0)
  await clock.advance(179_000)
  expect(answer.wasAborted()).toBe(false)
  await clock.advance(1_000)
  expect(await answer.events).toEqual([
    { type: 'text', delta: 'one' },
    { type: 'text', delta: 'two' },
    timeout('nothing came for 180 seconds'),
  ])
  expect(answer.wasAborted()).toBe(true)
})

test('silence before the first byte is only bounded by the API timeout', async () => {
  const clock = createManualClock()
  const answer = openSilentAnswer(clock)
  for (let waited = 0; waited < 890_000; waited += 10_000) await clock.advance(10_000)
  expect(answer.wasAborted()).toBe(false)
  await clock.advance(10_000)
  expect(await answer.events).toEqual([timeout('no complete answer within 900 seconds')])
})

test('an answer that goes on and on ends at the API timeout', async () => {
  const clock = createManualClock()
  const answer = openSilentAnswer(clock, 'x')
  for (let waited = 0; waited < 900_000; waited += 50_000) {
    answer.push('x')
    await clock.advance(50_000)
  }
  expect((await answer.events).at(-1)).toEqual(timeout('no complete answer within 900 seconds'))
})

test('a signal that is already aborted sends nothing', async () => {
  const never: typeof fetch = () => Promise.reject(new Error('sent'))
  const stream = (reason: Error) =>
    collect(openOpenaiChat(createDeps({ fetch: never }))(createRequest(), createTestCall(AbortSignal.abort(reason))))
  expect(await stream(new Error('stop'))).toEqual([{ type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }])
  expect(await stream(Object.assign(new Error('late'), { name: 'TimeoutError' }))).toMatchObject([
    { class: 'timeout', error: { code: 'MODEL_TIMEOUT' } },
  ])
})
