import { inspect } from 'node:util'
import type { Call, Connection, HttpHandler, InboundMessage, OutboundMessage, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryable } from '../bench.ts'
import { declare } from '../declare.ts'
import { breakPromise } from './break-promise.ts'
import { openMemoryService } from './memory-service.ts'
import { faultsOf, nameOf, promiseFaults } from './table.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_700_000_000_000 }))
afterEach(() => vi.useRealTimers())

const room = { id: 'room', kind: 'group' } as const
const ann = { id: 'ann', isBot: false }
const thread = { id: 'room/1', kind: 'thread', parent: 'room' } as const
const file = { id: 'file', kind: 'image', mime: 'image/png' } as const
const about = { account: 'bot', sender: ann, sentAt: 1_700_000_000_000, addressed: true }
const said: readonly InboundMessage[] = [
  { ...about, id: '1', text: '/status & Grüße 你', conversation: { id: 'ann', kind: 'dm' } },
  { ...about, id: '2', text: 'of boats '.repeat(40), conversation: room },
  { ...about, id: '3', text: 'among ourselves', conversation: room, addressed: false },
  { ...about, id: '4', text: '/status & Grüße 你', conversation: thread, media: [file] },
]

const write = (key: string, text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...{ key, text, account: 'bot', conversation: 'room', part: { index: 0, total: 1 } },
  ...more,
})
const document = { blob: { blob: 'blob', mime: 'image/png', bytes: 3 }, kind: 'document' } as const
const buttons = [
  { id: 'ask:0', label: 'Yes' },
  { id: 'ask:1', label: 'No' },
]
const written: readonly OutboundMessage[] = [
  write('1', 'one'),
  write('2', 'two\nlines', { buttons }),
  write('3', 'with files', { media: [{ ...document, kind: 'image' }, document] }),
  write('4', 'elsewhere', { conversation: 'other' }),
  write('5', 'x'.repeat(500)),
  write('6', '好'.repeat(300)),
  write('7', 'lose'),
  write('8', 'refuse'),
  write('9', 'after all'),
]

/** What a promise came to, where it comes to something at all. */
async function settled(work: Promise<unknown>): Promise<unknown> {
  const late = vi.advanceTimersByTimeAsync(100).then(() => 'it does not end')
  return await Promise.race([work.catch((error: unknown) => ['rejected', (error as { code?: string }).code, String(error)]), late])
}

const callOf = (signal: AbortSignal): Call => ({ id: 'call', signal, deadline: 1 })

/** A host that writes down what it is told. */
function openHost(told: unknown[], token: string) {
  const controller = new AbortController()
  const effects: (() => void)[] = []
  let handler: HttpHandler | undefined
  let busy = true
  const note = (what: string) => async (value: unknown) => void told.push({ [what]: value })
  const context = {
    signal: controller.signal,
    secrets: {
      get: async () => (token === 'missing' ? Promise.reject(fail('ENV_MISSING', { name: 'TOKEN', file: '.env' })) : token),
      find: async () => token,
      set: async () => undefined,
    },
    log: { debug: (...line: readonly unknown[]) => void told.push({ log: line }) },
    effect: (undo: () => void) => void effects.push(undo),
    lost: (reason: unknown) => void told.push({ lost: reason }),
    receive: async (message: InboundMessage) => {
      told.push({ received: message })
      const isBusy = message.id === '4' && busy
      if (isBusy) busy = false
      return isBusy ? { status: 'busy', retryAfterMs: 5 } : { status: 'accepted' }
    },
    press: async (press: unknown) => {
      told.push({ press })
      return { status: 'refused', text: 'no' }
    },
    invited: async (invitation: unknown) => {
      told.push({ invitation })
      return 'ignore'
    },
    http: {
      route: note('route'),
      listen: async (_: unknown, given: HttpHandler) => {
        handler = given
      },
    },
    turns: {
      run: async function* (request: { readonly input: unknown }, { signal }: Call) {
        told.push({ turn: request, abortable: signal === controller.signal })
        yield { type: 'message.delta', text: 'Hello ' }
        yield { type: 'message.delta', text: 'there.' }
        yield { type: 'message.complete', text: 'Hello there.' }
      },
    },
  }
  const end = async (): Promise<void> => {
    controller.abort()
    for (const undo of effects) await settled(Promise.resolve().then(undo)).then((what) => told.push({ undone: what }))
  }
  const ask = (url: string): unknown => handler?.({ url } as never, callOf(controller.signal))
  return { context: context as unknown as PlatformContext, end, ask }
}

/** A life with everything in it, as people and the host see it. */
async function live(fault?: string, lacking: readonly (keyof Connection)[] = []): Promise<string> {
  vi.clearAllTimers()
  const service = openMemoryService(lacking)
  const platform: Platform = breakPromise(service.platform, fault)
  const told: unknown[] = service.seen
  const call = callOf(new AbortController().signal)
  for (const token of ['wrong', 'nobody', 'missing', 'silent']) {
    const { context } = openHost(told, token)
    const controller = new AbortController()
    const connecting = platform.connect(context, callOf(controller.signal))
    setTimeout(() => controller.abort(new Error('given up')), 10)
    told.push({ [token]: await settled(connecting.then((connection) => Object.keys(connection))) })
  }
  for (let round = 0; round < 2; round += 1) {
    const { context, end, ask } = openHost(told, 'right')
    const connection = await platform.connect(context, call).catch((error: unknown) => void told.push(String(error)))
    if (!connection) continue
    told.push(Object.entries(connection).flatMap(([name, method]) => (method === undefined ? [] : [name])))
    const lived: readonly (() => unknown)[] = [
      ...said.map((message) => () => service.hear({ ...message, id: `${round}-${message.id}`.replace('0-', '') })),
      ...written.map((message) => () => connection.send?.(message, call)),
      ...['edited', 'again', 'refuse'].map((text) => () => connection.edit?.('message-1', write('1', text, { buttons }), call)),
      ...['1', '7', 'never'].map((key) => () => connection.findSent?.({ ...write(key, ''), firstTriedAt: 0 }, call)),
      ...[0, 1].flatMap(() => [() => connection.typing?.('room', call), () => connection.endTyping?.('room', call)]),
      ...(['seen', 'failed'] as const).map(
        (mood) => () => connection.react?.({ account: 'bot', conversation: 'room', id: '1' }, mood, call),
      ),
      ...[0, 1].map(() => () => readAll(connection.fetchMedia?.(file, call))),
      ...[['new', 'help'], ['help']].map(
        (names) => () =>
          connection.setCommands?.(
            names.map((name) => ({ name, summary: '', args: '' })),
            call,
          ),
      ),
      ...[0, 1].flatMap(() => [() => connection.identity?.(call), () => connection.lastHeard(call)]),
      ...[() => connection.listConversations?.(call), service.press, service.invite],
      ...['/ask', '/ask?again', '/nowhere'].map((url) => () => ask(url)),
      ...[service.cut, () => connection.close(call), () => connection.close(call)],
    ]
    for (const act of lived) told.push(await settled(Promise.resolve().then(act)))
    await end()
  }
  await vi.advanceTimersByTimeAsync(100)
  told.push({ timers: vi.getTimerCount() })
  return inspect(told, { depth: 8, breakLength: 150, maxStringLength: 600, maxArrayLength: 1000 })
}

async function readAll(bytes: AsyncIterable<Uint8Array> | undefined): Promise<number> {
  let length = 0
  for await (const piece of bytes ?? []) length += piece.length
  return length
}

test('a platform that keeps its promises lives the same life each time', async () => {
  expect(await live()).toBe(await live())
})

test.each(promiseFaults.map(nameOf))('%s changes what people or the host see', async (name) => {
  const lacking = name === 'method/undeclared' ? (['edit', 'listConversations'] as const) : []
  expect(await live(name, lacking)).not.toBe(await live(undefined, lacking))
})

test('each fault has its own name and says what happens', () => {
  expect(new Set(promiseFaults.map(nameOf)).size).toBe(promiseFaults.length)
  expect(promiseFaults.filter(({ instead }) => instead === '')).toEqual([])
  expect(() => breakPromise(openMemoryService().platform, 'inbound/no-such-fault')).toThrow('no fault inbound/no-such-fault')
})

test.each(tryable.map((platform) => [platform.name, platform] as const))(
  '%s gets its faults by the seed, each part in turn',
  (name, platform) => {
    const listed = faultsOf(declare(platform), name, 1)
    expect(listed).toEqual(faultsOf(declare(platform), name, 1))
    expect(listed).not.toEqual(faultsOf(declare(platform), name, 2))
    const parts = new Set(listed.map(({ about: part }) => part))
    expect(new Set(listed.slice(0, parts.size).map(({ about: part }) => part))).toEqual(parts)
  },
)
