import type { Call, TurnRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openLedger } from '#kernel/ledger.ts'
import { silentLog } from '#observe/silent-log.ts'
import { talkSpec } from '../testing/talk.ts'
import { createPlatformContext, type PlatformContextOptions } from './platform-context.ts'

function contextFor(verbs: readonly string[], more: Parameters<typeof talkSpec>[0] = {}) {
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
  const options = { contribution, base: {}, ledger, turns, log: silentLog, onListen: () => () => undefined }
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
  expect(asked).toEqual([{ ...request, isPublic: true }, 'q'])
  const { url } = await context.http.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1000 }, async () => ({ status: 200, body: 'here' }))
  expect(await (await fetch(url)).text()).toBe('here')
  await ledger.dispose()
  await expect(fetch(url)).rejects.toThrow()
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

test('a door for requests receives no messages', async () => {
  const { context } = contextFor([], { door: 'request' })
  await expect(async () => context.receive({} as never)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
})
