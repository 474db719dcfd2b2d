import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { findFreePort } from '../../../../test/support/free-port.ts'
import type { Listener, ListenerOptions } from './http.ts'
import { callbackDoor, type OpenDoor } from './open-door.ts'
import { createSharedDoors, type SharedDoors } from './shared-doors.ts'

const opened: (Listener | SharedDoors)[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

function createDoors(): SharedDoors {
  const doors = createSharedDoors({ host: '127.0.0.1', port: 0 })
  opened.push(doors)
  return doors
}

type Handle = (request: HttpRequest, signal: AbortSignal) => Promise<HttpReply>

const echo =
  (who: string): Handle =>
  async ({ url }) => ({ status: 200, body: `${who} ${url}` })

async function open(openDoor: OpenDoor, name: string, handle: Handle, more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const admit: ListenerOptions['admit'] = async () => ({ handler: (request, { signal }) => handle(request, signal), maxBodyBytes: 1000 })
  const listener = await openDoor(name, { host: '127.0.0.1', port: 0, admit, log: silentLog, ...more })
  opened.push(listener)
  return listener
}

const ask = async (url: string): Promise<string> => {
  const response = await fetch(url)
  return `${response.status} ${await response.text()}`
}

test('another profile answers below its prefix of the same address, and nobody else there', async () => {
  const doors = createDoors()
  const own = await open(doors.own, 'api', echo('default'))
  const work = await open(doors.of('work'), 'api', echo('work'), { host: '192.0.2.1', port: 1 })
  expect(work.url).toBe(`${own.url}/p/work`)
  expect([work.host, work.port]).toEqual([own.host, own.port])
  expect(await ask(`${own.url}/v1/x?y=/p/work`)).toBe('200 default /v1/x?y=/p/work')
  expect(await ask(`${work.url}/v1/x?y`)).toBe('200 work /v1/x?y')
  expect(await ask(work.url)).toBe('200 work /')
  expect(await ask(`${work.url}?y`)).toBe('200 work /?y')
  for (const path of ['/p/home/v1/x', '/p/wor/v1', '/p/work%2e/v1', '/p/../p/nobody/'])
    expect(await ask(`${own.url}${path}`)).toMatch(/^404 .*profile/)
  await work.close()
  expect(await ask(`${own.url}/p/work/v1/x`)).toMatch(/^404 /)
})

test('the door of one kind is not that of another, and goes on while its first profile opens it again', async () => {
  const doors = createDoors()
  await expect(open(doors.of('work'), 'api', echo('work'))).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  const own = await open(doors.own, 'api', echo('default'))
  await expect(open(doors.of('work'), 'other', echo('work'))).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  const work = await open(doors.of('work'), 'api', echo('work'))
  await own.close()
  await expect(fetch(work.url)).rejects.toThrow()
  const again = await open(doors.own, 'api', echo('default again'))
  expect(work.url).toBe(`${again.url}/p/work`)
  expect(await ask(work.url)).toBe('200 work /')
  expect(await ask(again.url)).toBe('200 default again /')
})

test('callbacks of another profile come in though the first one has none, which joins later', async () => {
  const doors = createDoors()
  const work = await open(doors.of('work'), callbackDoor, echo('work'), { port: 1 })
  const address = work.url.replace('/p/work', '')
  expect(await ask(`${work.url}/hooks`)).toBe('200 work /hooks')
  expect(await ask(`${address}/hooks`)).toMatch(/^404 /)
  const own = await open(doors.own, callbackDoor, echo('default'))
  expect(own.url).toBe(address)
  expect(await ask(`${address}/hooks`)).toBe('200 default /hooks')
  expect(await ask(`${work.url}/hooks`)).toBe('200 work /hooks')
})

test('profiles that open side by side open a port once', async () => {
  const doors = createSharedDoors({ host: '127.0.0.1', port: await findFreePort() })
  opened.push(doors)
  const names = ['work', 'home', 'lab']
  const all = await Promise.all([
    ...names.map((name) => open(doors.of(name), callbackDoor, echo(name))),
    open(doors.own, callbackDoor, echo('default')),
  ])
  const answers = await Promise.all(all.map(({ url }) => ask(`${url}/x`)))
  expect(answers).toEqual([...names, 'default'].map((name) => `200 ${name} /x`))
  expect(new Set(all.map(({ url }) => new URL(url).port)).size).toBe(1)
})

test('where others reach the first profile, nobody is let in without proof', async () => {
  const doors = createDoors()
  const own = await open(doors.own, 'api', echo('default'), { host: '0.0.0.0' })
  await expect(open(doors.of('work'), 'api', echo('work'), { open: true })).rejects.toMatchObject({
    code: 'BIND_UNSAFE',
    params: { host: '0.0.0.0' },
  })
  expect(await ask(`${own.url.replace('0.0.0.0', '127.0.0.1')}/p/work/`)).toMatch(/^404 /)
  await expect(open(doors.own, 'second', echo('default'), { host: '0.0.0.0', open: true })).rejects.toMatchObject({ code: 'BIND_UNSAFE' })
})

test('where the first profile moves to an address that others reach, nobody is let in without proof any more', async () => {
  const doors = createDoors()
  const said: unknown[] = []
  const log = { ...silentLog, error: (_: string, fields: unknown) => void said.push(fields) }
  const first = await open(doors.own, 'api', echo('default'))
  const work = await open(doors.of('work'), 'api', echo('work'), { open: true, log })
  const keyed = await open(doors.of('home'), 'api', echo('home'))
  expect(await ask(work.url)).toBe('200 work /')
  await first.close()
  const moved = await open(doors.own, 'api', echo('default'), { host: '0.0.0.0' })
  const place = moved.url.replace('0.0.0.0', '127.0.0.1')
  expect(await ask(`${place}/p/work/`)).toMatch(/^404 /)
  expect(await ask(`${place}/p/home/`)).toBe('200 home /')
  expect([keyed.host, keyed.port]).toEqual([moved.host, moved.port])
  expect(said).toEqual([{ host: '0.0.0.0' }])
  await moved.close()
  await open(doors.own, 'api', echo('default'))
  expect(await ask(work.url)).toBe('200 work /')
})

test('what fails for one profile is in its log alone, and its answer breaks off without a word of it', async () => {
  const logs: Record<string, string[]> = { own: [], work: [] }
  const logOf = (name: 'own' | 'work') => ({ ...silentLog, error: (...said: unknown[]) => void logs[name]?.push(JSON.stringify(said)) })
  const doors = createDoors()
  await open(doors.own, 'api', echo('default'), { log: logOf('own') })
  async function* breaking(): AsyncGenerator<string> {
    yield 'begun'
    throw new Error('secret in a stream')
  }
  const handle: Handle = async ({ url }) => {
    if (url === '/stream') return { status: 200, body: breaking() }
    if (url === '/odd') return { status: 99 }
    throw fail('INTERNAL', { detail: 'secret in a handler' })
  }
  const work = await open(doors.of('work'), 'api', handle, { log: logOf('work') })
  expect(await ask(`${work.url}/fails`)).toMatch(/^500 /)
  expect(await ask(`${work.url}/odd`)).toMatch(/^500 /)
  await expect(ask(`${work.url}/stream`)).rejects.toThrow()
  await expect.poll(() => logs.work?.length).toBe(3)
  expect(logs.work?.join()).toContain('secret in a stream')
  expect(logs.own?.join()).not.toContain('secret')
})

test('a profile that is taken out lets its answers end for a while, and then ends them', async () => {
  const doors = createDoors()
  await open(doors.own, 'api', echo('default'))
  const asked: AbortSignal[] = []
  const work = await open(
    doors.of('work'),
    'api',
    async (_, signal) => {
      asked.push(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw fail('INTERRUPTED')
    },
    { closeMs: 20 },
  )
  const answer = ask(`${work.url}/long`)
  await expect.poll(() => asked.length).toBe(1)
  await work.close()
  expect(asked[0]?.aborted).toBe(true)
  expect(await answer).toMatch(/^\d+ .*error/)
})
