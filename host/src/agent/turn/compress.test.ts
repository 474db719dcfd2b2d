import type { CompressRequest, ModelEvent } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { defaultConfig } from '#config/schema/defaults.ts'
import { createCall } from '#kernel/calls/call.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { cutShort } from '../context/cut-short.ts'
import { createContextFit, type FitOptions } from '../context/fit-context.ts'
import { createWindows } from '../context/window.ts'
import { lengthOf } from './run-turn.ts'
import { end, hello, text, usage, world } from './testing/turn-world.ts'

const { signal } = new AbortController()
const filling = 'sea '.repeat(2000)
const said = (words: string, key = 'k') => ({ ...hello, input: [{ type: 'text' as const, text: words }], session: { key } })

/** Conversations that are cut where a person wants them shorter. */
function shorteningBy(asked: CompressRequest[]): FitOptions {
  return {
    windows: createWindows({ of: async () => ({ context: 100_000 }) }),
    settings: () => defaultConfig.compression,
    skills: { list: async () => [], view: async () => '' },
    rules: { workspace: '/work', now: () => undefined },
    engines: {
      compress: async (request) => {
        asked.push(request)
        return cutShort(request.messages, request.room)
      },
    },
    log: silentLog,
  }
}

test('a stored conversation is made shorter where a person asks for it, and goes on from there', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const requests: CompressRequest[] = []
  const { turns, run, asked } = world(
    [
      [text(filling), end()],
      [text('two'), end()],
      [text('three'), end()],
    ],
    [],
    {
      ...{ sessions, shortening: shorteningBy(requests) },
    },
  )
  await run(said('first'))
  await run(said('second'))
  const { id = '', context = 0 } = (await sessions.byKey('k')) ?? {}
  const short = await turns.compress(id, 'boats', signal)
  expect(requests).toMatchObject([{ reason: 'asked', focus: 'boats', messages: { length: 4 } }])
  expect(short).toMatchObject({ upTo: 4, reason: 'asked', tokensBefore: context })
  expect(await sessions.heard(id)).toEqual(short?.messages)
  expect(await sessions.byKey('k')).toMatchObject({ messages: 4, context: short?.tokensAfter })
  await run(said('third'))
  expect(asked[2]?.messages.slice(0, -1)).toEqual(short?.messages)
  expect(await sessions.history(id)).toHaveLength(6)
})

test('nothing is stored where nothing is gained, and no conversation is made shorter while somebody answers in it', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const { turns, run } = world(
    [
      [text('one'), end()],
      [text('two'), end()],
    ],
    [],
    { sessions, shortening: shorteningBy([]) },
  )
  await run(said('first'))
  const { id = '' } = (await sessions.byKey('k')) ?? {}
  expect(await turns.compress(id, '', signal)).toBeUndefined()
  expect(await sessions.compressions(id)).toBe(0)
  let during: unknown
  await run(said('second'), signal, (event) => {
    if (event.type === 'message.start') during = turns.compress(id, '', signal).catch((error: unknown) => error)
  })
  expect(await during).toMatchObject({ code: 'SESSION_WAITING' })
  await expect(turns.compress('ses_none', '', signal)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

const refusal: ModelEvent = {
  type: 'failed',
  class: 'context_overflow',
  error: { code: 'MODEL_CONTEXT_OVERFLOW', params: { provider: 'script', detail: 'maximum context length is 4,000 tokens' } },
}
const door = { steps: [], recordStep: async () => undefined, hear: () => undefined }

test('what a turn leaves for the door that writes it down: nothing where it gained nothing, a compression by itself', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const fitted = { sessions, fit: createContextFit(shorteningBy([])) }
  const { turns, run } = world([[refusal], [text(filling), end()], [text(filling), end()], [refusal], [refusal]], [], fitted)
  const take = async (words: string) => {
    const { rows, release } = await turns.take(said(words), createCall(signal), door)
    release()
    return rows
  }
  expect(await take('zero')).toBeNull()
  await run(said('first'))
  await run(said('second'))
  const rows = await take('third')
  expect(rows?.session.create).toBeUndefined()
  expect(rows?.messages).toEqual([])
  expect(rows?.compressions).toMatchObject([{ reason: 'overflow' }])
})

test('a turn that cannot begin lets others have its session', async () => {
  let known = false
  const choose = () => {
    if (!known) throw fail('SESSION_NOT_FOUND', { session: 'none' })
    return { provider: 'script', model: 'm', implicit: false }
  }
  const { turns } = world([[text('Hi.'), end()]], [], { choose })
  await expect(turns.take(said('one'), createCall(signal), door)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  known = true
  expect(await turns.take(said('two'), createCall(signal), door)).toMatchObject({ text: 'Hi.' })
})

test('the stored length is what the service said, and an estimate of what came since', () => {
  const message = { role: 'user', parts: [{ type: 'text', text: 'x'.repeat(400) }] } as const
  const turn = (messages: number, upTo?: number): Parameters<typeof lengthOf>[0] => ({
    ...{ system: 's'.repeat(400), request: {}, tools: { specs: [] }, messages: Array.from({ length: messages }, () => message) },
    context: { stored: 0, known: upTo === undefined ? undefined : { tokens: 900, upTo }, gained: [], isStuck: false, wasRefused: false },
  })
  expect(lengthOf(turn(2, 3))).toEqual({ context: 900 })
  expect(lengthOf(turn(2, 2))).toEqual({ context: 900 })
  expect(lengthOf(turn(3, 2)).context).toBeGreaterThan(990)
  expect(lengthOf(turn(3))).toEqual({})
  const compression = { upTo: 1, messages: [], reason: 'asked', tokensBefore: 2, tokensAfter: 1 } as const
  const gained = { ...turn(1), context: { ...turn(1).context, gained: [compression, { ...compression, upTo: 2 }] } }
  expect(lengthOf(gained)).toEqual({ compressions: gained.context.gained })
  expect(lengthOf(gained, 1)).toEqual({ compressions: [{ ...compression, upTo: 2 }] })
  expect(lengthOf(gained, 2)).toEqual({})
})

test('what a model thinks is no part of what it hears next', async () => {
  const thinks: ModelEvent = { type: 'end', reason: 'stop', usage: { ...usage, input: 1000, output: 500, reasoning: 300 } }
  const { run, commits } = world([[text('Hi.'), thinks]])
  await run(said('first'))
  expect(commits.at(-1)).toMatchObject({ context: 1200 })
})
