import { type CompressRequest, type Context, findCompressedMisfit, type ModelMessage, type OpenContextEngine } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { createCallsServed } from '#models/calls-served.ts'
import { type ContextEngines, createContextEngines } from './engines.ts'

const clock = createFakeClock()
const { signal } = new AbortController()
const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const steps = (turn: number): readonly ModelMessage[] => [
  { role: 'assistant', parts: [{ type: 'call', id: `call_${turn}`, name: 'look', args: '{}' }] },
  { role: 'tool', results: [{ id: `call_${turn}`, name: 'look', ok: true, text: 'sea '.repeat(200) }] },
]
const talk: readonly ModelMessage[] = [
  ...Array.from({ length: 20 }, (_, turn) => [
    user(`look ${turn}`),
    ...steps(turn),
    { role: 'assistant', parts: [{ type: 'text', text: 'seen' }] } as const,
  ]).flat(),
  user('and now?'),
]
const request: CompressRequest = { messages: talk, room: 1500, window: 8000, keepFirst: 2, keepLast: 4, reason: 'threshold' }
const short: readonly ModelMessage[] = [user('notes'), { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] }, user('and now?')]

let folder: PluginFolder
let engines: Record<string, OpenContextEngine['compress'] | null>
let asked: string[]
const served = createCallsServed()
let warned: string[]
beforeEach(() => {
  folder = openPluginFolder()
  ;[engines, asked, warned] = [{}, [], []]
})
afterEach(() => folder[Symbol.dispose]())

function add(id: string, compress: OpenContextEngine['compress'] | null): void {
  engines[id] = compress
  folder.link({ id: `context-${id}`, api: { context: 1 }, contributes: { context: [{ id, entry: 'dist/context.js', label: id }] } })
}

async function open(wanted = 'compressor'): Promise<ContextEngines> {
  const note = (message: string, fields?: object): void => void warned.push(`${message} ${JSON.stringify(fields)}`)
  return createContextEngines({
    ...{ catalog: await folder.load({}), wanted: () => wanted, longestMs: () => 180_000, clock, served },
    log: { debug: () => undefined, info: () => undefined, warn: note, error: note },
    activator: {
      entry: async <T>({ id }: { id: string }) => {
        const compress = engines[id]
        const opened = compress
          ? {
              compress: async (wanted: CompressRequest, call: Parameters<OpenContextEngine['compress']>[1]) => {
                asked.push(id)
                return compress(wanted, call)
              },
            }
          : {}
        return { open: async () => opened } as T
      },
    },
    openContext: async () => ({ context: { signal: new AbortController().signal } as Context, close: async () => undefined }),
  })
}

const bundled = async (): Promise<{ messages: readonly ModelMessage[] }> => ({ messages: short })

test('the chosen engine makes a conversation shorter; where it is not installed, the one that comes with agent does, and the log says so', async () => {
  add('compressor', bundled)
  add('other', async () => ({ messages: [user('other notes'), ...short.slice(1)] }))
  expect((await (await open('other')).compress(request, signal))[0]).toEqual(user('other notes'))
  expect(await (await open('othr')).compress(request, signal)).toEqual(short)
  expect(asked).toEqual(['other', 'compressor'])
  expect(warned.join()).toContain('context.engine names \\"othr\\", which no plugin brings. Did you mean \\"other\\"?')
  expect(fail('CONTEXT_ENGINE_UNKNOWN', { backend: 'othr', nearest: 'other' }).message).toContain('agent config set context.engine NAME')
})

const after = talk.slice(0, 3)
test.each<[string, OpenContextEngine['compress'] | null]>([
  ['gives results without their calls', async () => ({ messages: [user('notes'), ...talk.slice(2, 3), ...short.slice(1)] as never })],
  ['gives calls without their results', async () => ({ messages: [...after.slice(0, 2), user('and now?')] })],
  ['drops the last message', async () => ({ messages: short.slice(0, 2) })],
  ['changes the words of the person', async () => ({ messages: [...short.slice(0, 2), user('and then?')] })],
  ['lets two messages of the person follow each other', async () => ({ messages: [user('notes'), user('and now?')] })],
  ['gives nothing', async () => undefined as never],
  ['gives no messages', async () => ({ messages: [] })],
  ['gives what no message is', async () => ({ messages: [{ role: 'system', parts: [] }, ...short] as never })],
  ['gives it back as it was', async ({ messages }) => ({ messages })],
  ['gives functions', async () => ({ messages: short, more: () => undefined }) as never],
  [
    'throws',
    async () => {
      throw new Error('no')
    },
  ],
  [
    'dies as a child',
    async () => {
      throw fail('PLUGIN_FAILED', { plugin: 'context-bad', during: 'a call', detail: 'its process ended' })
    },
  ],
  ['has no method', null],
  [
    'changes what it was given',
    async ({ messages }) => {
      ;(messages as ModelMessage[]).length = 0
      return { messages }
    },
  ],
])('an engine that %s does no harm', async (_what, compress) => {
  add('bad', compress)
  const before = structuredClone(talk)
  const alone = await (await open('bad')).compress(request, signal)
  expect(findCompressedMisfit(talk, { messages: alone })).toBeUndefined()
  expect(JSON.stringify(alone)).toContain('was left out here')
  add('compressor', bundled)
  expect(await (await open('bad')).compress(request, signal)).toEqual(short)
  expect(talk).toEqual(before)
  expect(warned.join()).toContain('context-bad')
})

test('an engine that hangs is given up after its time, and is not asked again at once', async () => {
  add('slow', () => new Promise(() => undefined))
  add('compressor', bundled)
  const made = await open('slow')
  const waiting = made.compress(request, signal)
  await expect.poll(() => asked).toEqual(['slow'])
  await clock.advance(182_000)
  expect(await waiting).toEqual(short)
  expect(await made.compress(request, signal)).toEqual(short)
  expect(asked).toEqual(['slow', 'compressor', 'compressor'])
  await clock.advance(60_000)
  const again = made.compress(request, signal)
  await expect.poll(() => asked.length).toBe(4)
  await clock.advance(182_000)
  expect(await again).toEqual(short)
})

test('who gives up is not kept waiting, and where only a model may do it nothing is cut', async () => {
  add('compressor', () => new Promise(() => undefined))
  const controller = new AbortController()
  const waiting = (await open()).compress(request, controller.signal).catch((error: unknown) => error)
  await expect.poll(() => asked).toEqual(['compressor'])
  controller.abort(fail('INTERRUPTED'))
  await clock.advance(2_000)
  expect(await waiting).toMatchObject({ code: 'INTERRUPTED' })
  engines.compressor = async () => {
    throw fail('MODEL_OVERLOADED', { provider: 'far', detail: 'busy' })
  }
  await expect((await open()).compress({ ...request, onlyByModel: true }, signal)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' })
})

test('an engine does not see pictures, and they come back where they stood', async () => {
  const url = `data:image/png;base64,${'A'.repeat(5000)}`
  const shown: ModelMessage = {
    role: 'user',
    parts: [
      { type: 'image', url },
      { type: 'text', text: 'what is it?' },
    ],
  }
  let seen = ''
  add('compressor', async ({ messages }) => {
    seen = JSON.stringify(messages)
    return { messages: [...short.slice(0, 2), messages.at(-1) as ModelMessage] }
  })
  const kept = await (await open()).compress({ ...request, messages: [...talk.slice(0, -1), shown] }, signal)
  expect(seen).not.toContain('base64')
  expect(kept.at(-1)).toEqual(shown)
})

test('a turn at work that is cut without an engine keeps the words of the person and its last step', async () => {
  const work = [...talk, ...Array.from({ length: 30 }, (_, at) => steps(100 + at)).flat()]
  const kept = await (await open()).compress({ ...request, messages: work, room: 400 }, signal)
  expect(findCompressedMisfit(work, { messages: kept })).toBeUndefined()
  expect(kept.slice(-2)).toMatchObject(steps(129).map(({ role }) => ({ role })))
  const huge = [
    user('read it'),
    steps(1)[0] as ModelMessage,
    { role: 'tool', results: [{ id: 'call_1', name: 'look', ok: true, text: 'x'.repeat(90_000) }] },
  ] as const
  const cut = await (await open()).compress({ ...request, messages: huge }, signal)
  expect(findCompressedMisfit(huge, { messages: cut })).toBeUndefined()
  expect(JSON.stringify(cut).length).toBeLessThan(6_000)
})

test('what an engine asks of models meanwhile counts for the conversation that it makes shorter', async () => {
  const seen: unknown[] = []
  let late: Parameters<OpenContextEngine['compress']>[1] | undefined
  add('compressor', async (_wanted, call) => {
    seen.push(served.of(call))
    late = call
    return { messages: short }
  })
  await (await open()).compress(request, signal, { session: 'ses_a', job: 'job_a' })
  expect([...seen, late && served.of(late)]).toEqual([{ session: 'ses_a', job: 'job_a' }, { session: '' }])
})
