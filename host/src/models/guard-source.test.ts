import type { ModelEvent, ModelSource } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { guardSource } from './guard-source.ts'
import { createWatches } from './protocols/watch.ts'
import { collect, createRequest, createTestCall, stillClock } from './testing/model-call.ts'

const closing = new AbortController().signal
const say: ModelEvent = { type: 'text', delta: 'x' }

function guarded(stream: ModelSource['stream'], clock = stillClock): ModelSource {
  return guardSource('own', { stream }, createWatches({ clock, timeoutMs: 900_000, stallMs: 180_000, signal: closing }))
}

async function* hang(): AsyncGenerator<ModelEvent> {
  yield say
  await new Promise(() => undefined)
}

test('a source that hangs and ignores its signal ends when the person interrupts', async () => {
  const stop = new AbortController()
  const events = collect(guarded(hang).stream(createRequest(), createTestCall(stop.signal)))
  await new Promise(setImmediate)
  stop.abort(fail('INTERRUPTED'))
  expect(await events).toEqual([say, { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }])
})

test('a source that falls silent is given up', async () => {
  let now = 0
  const sleep = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    now += 60_000
  }
  const clock = { now: () => now, sleep }
  const events = await collect(guarded(hang, clock).stream(createRequest(), createTestCall()))
  expect(events).toMatchObject([say, { type: 'failed', class: 'timeout', error: { code: 'MODEL_TIMEOUT' } }])
})

test('a source that throws ends with a failure, and one that is left early hears of it', async () => {
  const broken = guarded(() => {
    throw new Error('no stream')
  })
  expect(await collect(broken.stream(createRequest(), createTestCall()))).toMatchObject([{ type: 'failed', class: 'unknown' }])
  async function* explode(): AsyncGenerator<ModelEvent> {
    yield say
    throw new Error('half way')
  }
  expect((await collect(guarded(explode).stream(createRequest(), createTestCall()))).at(-1)).toMatchObject({
    type: 'failed',
    class: 'unknown',
  })
  let heard: AbortSignal | undefined
  const endless = guarded(async function* (_request, call) {
    heard = call.signal
    for (;;) yield say
  })
  for await (const _ of endless.stream(createRequest(), createTestCall())) break
  expect(heard?.aborted).toBe(true)
})

test('a failure that its provider gave no class gets one by its status and its words', async () => {
  const failing = (params: Record<string, string | number>) =>
    guarded(async function* () {
      yield { type: 'failed', class: 'unknown', error: { code: 'MODEL_UNKNOWN', params, retryAfterMs: 5 } } as const
    })
  const ask = (params: Record<string, string | number>) => collect(failing(params).stream(createRequest(), createTestCall()))
  expect(await ask({ detail: 'Slow down', status: 429 })).toEqual([
    {
      type: 'failed',
      class: 'rate_limit',
      error: { code: 'MODEL_RATE_LIMIT', params: { provider: 'own', detail: 'Slow down' }, retryAfterMs: 5 },
    },
  ])
  expect(await ask({ detail: 'maximum context length is 8192 tokens' })).toMatchObject([{ class: 'context_overflow' }])
  expect(await ask({ detail: 'what' })).toMatchObject([{ class: 'unknown', error: { code: 'MODEL_UNKNOWN' } }])
})
