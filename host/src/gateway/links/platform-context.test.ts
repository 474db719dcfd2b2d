import type { Call, TurnRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openLedger } from '#kernel/ledger.ts'
import { silentLog } from '#observe/silent-log.ts'
import { messageOf } from '#store/testing/messages.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createCallbackListener } from '../http/callback-listener.ts'
import { talkSpec } from '../testing/talk.ts'
import { createPlatformContext, type PlatformContextOptions } from './platform-context.ts'

function contextFor(verbs: readonly string[], more: Parameters<typeof talkSpec>[0] = {}, given: Partial<PlatformContextOptions> = {}) {
  const asked: unknown[] = []
  const manifest = { id: 'platform-talk', permissions: verbs.length > 0 ? { host: { value: verbs, reason: 'test' } } : {} }
  const contribution = { kind: 'platform', id: 'talk', spec: talkSpec(more), plugin: { manifest } }
  const turns = {
    run: (request: TurnRequest) => {
      asked.push(request)
      return (async function* () {})()
    },
    answer: async (id: string) => asked.push(id) > 0,
  }
  const ledger = openLedger('platform-talk', silentLog)
  const options = { contribution, base: {}, ledger, turns, log: silentLog, onListen: () => () => undefined, ...given }
  return { ledger, asked, context: createPlatformContext(options as unknown as PlatformContextOptions) }
}

const request = { input: [], source: 'talk', canAnswer: false } as TurnRequest
const call = {} as Call

test('a platform runs turns and listens only where its manifest says so', async () => {
  const { context, asked } = contextFor([])
  expect(() => context.turns.run(request, call)).toThrow('add permissions.host "turns.run" to its manifest')
  await expect(context.turns.answer('q', 'yes')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  await expect(context.http.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1000 }, () => expect.unreachable())).rejects.toThrow(
    'add permissions.host "http.listen" to its manifest',
  )
  expect(asked).toEqual([])
})

test('what the manifest declares works, and a listener ends with the platform', async () => {
  const { context, asked, ledger } = contextFor(['turns.run', 'http.listen'])
  for await (const _ of context.turns.run(request, call)) expect.unreachable()
  expect(await context.turns.answer('q', 'yes')).toBe(true)
  // Nobody knows whose memory it would be: such a session has one to itself.
  expect(asked).toEqual([
    { ...request, isPublic: true, speakers: { may: false, people: [] }, owner: expect.stringMatching(/^session:talk::ses_/) },
    'q',
  ])
  const { url } = await context.http.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1000 }, async () => ({ status: 200, body: 'here' }))
  expect(await (await fetch(url)).text()).toBe('here')
  await ledger.dispose()
  await expect(fetch(url)).rejects.toThrow()
})

test('what only the host knows of a request is not heard from a plugin', async () => {
  const { context, asked } = contextFor(['turns.run'], { reach: 'owner' })
  const more = { owner: 'irc:ann', person: 'ann', beginAs: 'ses_1', countsAs: 'cli', asDoors: [], toolsets: [] }
  const lies = { ...request, ...more, approvals: () => 'off', speakers: { may: true, people: [] }, child: {} }
  for await (const _ of context.turns.run(lies as TurnRequest, call)) expect.unreachable()
  expect(asked).toEqual([{ ...request, isPublic: false }])
})

test.each([
  ['owner', '127.0.0.1', false],
  ['owner', '0.0.0.0', true],
  ['people', '127.0.0.1', true],
] as const)('a door for %s that listens at %s is public: %s', async (reach, host, isPublic) => {
  const { context, asked, ledger } = contextFor(['turns.run', 'http.listen'], { reach })
  await context.http.listen({ host, port: 0, maxBodyBytes: 1000 }, async () => ({ status: 200 }))
  // What the plugin says of itself does not count.
  for await (const _ of context.turns.run({ ...request, isPublic: !isPublic } as TurnRequest, call)) expect.unreachable()
  expect(asked).toMatchObject([{ isPublic }])
  await ledger.dispose()
})

test('a door is public from when the listener that it was lent is moved to where others reach it', async () => {
  const listener = { host: '127.0.0.1', port: 1, url: 'http://127.0.0.1:1/p/work', close: async () => undefined }
  const { context, asked } = contextFor(['turns.run', 'http.listen'], { reach: 'owner' }, { openDoor: async () => listener })
  const run = async (): Promise<void> => {
    for await (const _ of context.turns.run(request, call)) expect.unreachable()
  }
  await context.http.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1000 }, async () => ({ status: 200 }))
  await run()
  listener.host = '0.0.0.0'
  await run()
  expect(asked).toMatchObject([{ isPublic: false }, { isPublic: true }])
})

test('a door for requests receives no messages', async () => {
  const { context } = contextFor([], { door: 'request' })
  await expect(async () => context.receive({} as never)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
})

test('a message is stored before anybody hears of it, and once; what is ours is dropped', async () => {
  await using place = await createTemporaryStore()
  const { journal } = await place.open()
  const arrived: unknown[] = []
  const { context } = contextFor(
    [],
    {},
    {
      ...{ journal, isEcho: (platform, { id }) => platform === 'talk' && id === 'own' },
      arrive: (arrival) => void arrived.push(arrival),
    },
  )
  const message = messageOf('m1')
  expect(await context.receive(messageOf('own'))).toEqual({ status: 'duplicate' })
  expect(await context.receive(message)).toEqual({ status: 'accepted' })
  expect(await context.receive(message)).toEqual({ status: 'duplicate' })
  expect(arrived).toEqual([{ platform: 'talk', message, seq: expect.any(Number) }])
  expect(await journal.pending()).toMatchObject([{ platform: 'talk', inbox: 1 }])
})

test('who presses a button is answered by what asked', async () => {
  const pressed: unknown[] = []
  const { context } = contextFor(
    [],
    {},
    {
      press: async (...about) => {
        pressed.push(about)
        return { status: 'taken', text: 'Allowed once.' }
      },
    },
  )
  const press = { button: 'b1' } as never
  expect(await context.press(press)).toEqual({ status: 'taken', text: 'Allowed once.' })
  expect(pressed).toEqual([['talk', press]])
})

test('who is invited is told whether to go there, where the manifest says that it is invited', async () => {
  const heard: unknown[] = []
  const invited: PlatformContextOptions['invited'] = async (...about) => {
    heard.push(about)
    return 'join'
  }
  const invitation = { account: 'bot' } as never
  const { context } = contextFor([], { capabilities: { invitations: true } }, { invited })
  expect(await context.invited(invitation)).toBe('join')
  expect(heard).toEqual([['talk', invitation]])
  const other = contextFor([], {}, { invited })
  await expect(other.context.invited(invitation)).rejects.toThrow('add capabilities "invitations" to its manifest')
  expect(heard).toHaveLength(1)
})

test('a route of a platform is its own, with what it asks for, and ends with it', async () => {
  const callbacks = createCallbackListener({ host: '127.0.0.1', port: 0, clock: systemClock, log: silentLog })
  try {
    const { context, ledger } = contextFor([], {}, { callbacks })
    const { url } = await context.http.route(
      '/talk',
      async ({ url: asked }) => ({ status: 200, body: asked }),
      { perMinute: 1 },
      async ({ headers }) => (headers['x-proof'] ? undefined : { status: 401 }),
    )
    expect(await (await fetch(url, { headers: { 'x-proof': 'yes' } })).text()).toBe('/talk')
    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([401, 429])
    await expect(callbacks.route({ owner: 'other', path: '/talk', handler: () => expect.unreachable() })).rejects.toThrow('/talk')
    await ledger.dispose()
    expect((await fetch(url)).status).toBe(404)
  } finally {
    await callbacks.close()
  }
})

test('a listener refuses by the head, is told of while it is open, and ends after what it answers', async () => {
  const listening = new Set<string>()
  const onListen = ({ url }: { readonly url: string }) => {
    listening.add(url)
    return () => void listening.delete(url)
  }
  const { context, ledger } = contextFor(['http.listen'], {}, { onListen })
  let [goOn, onAsked] = [(): void => undefined, (): void => undefined]
  const asked = new Promise<void>((heard) => (onAsked = heard))
  const handler = async () => {
    onAsked()
    await new Promise<void>((resolve) => (goOn = resolve))
    return { status: 200 }
  }
  const { url } = await context.http.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1000 }, handler, async ({ method }) =>
    method === 'GET' ? undefined : { status: 405 },
  )
  expect([...listening]).toEqual([url])
  expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  const answer = fetch(url)
  await asked
  let isOver = false
  const over = ledger.dispose().then(() => (isOver = true))
  await new Promise(setImmediate)
  expect([[...listening], isOver]).toEqual([[], false])
  goOn()
  expect((await answer).status).toBe(200)
  await over
})
