import type { Call, Http, HttpAdmit, HttpHandler, ListenOptions, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import apiServer from './connection.ts'
import { type Config, config } from './door/config.ts'

const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 1 }
const nothing = (): void => {}

/** The part of a context that this plugin uses; everything else fails the test by being absent. */
function createContext(extra: object, listen: Http['listen'], now = () => 5) {
  const context: Partial<PlatformContext<Config>> = {
    about: { plugin: 'platform-api-server', contribution: 'api-server', profile: 'default', agentVersion: '0.1.0' },
    config: config.parse(extra),
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    clock: { now, sleep: () => new Promise(nothing) },
    secrets: {
      get: (name) => Promise.reject(fail('ENV_MISSING', { name, file: '.env' })),
      find: async () => undefined,
      set: async () => undefined,
    },
    signal: call.signal,
    http: { listen, route: () => Promise.reject(new Error('not asked for')) },
  }
  return context as PlatformContext<Config>
}

test('it listens where it was told to and notes when it was last asked', async () => {
  let now = 5
  let handler: HttpHandler | undefined
  let told: ListenOptions | undefined
  const context = createContext(
    { port: 1234, max_body_mb: 2 },
    async (options, given) => {
      told = options
      handler = given
      return { url: 'http://127.0.0.1:1234', port: 1234 }
    },
    () => now,
  )
  const connection = await apiServer.connect(context, call)
  expect(told).toEqual({ host: '127.0.0.1', port: 1234, maxBodyBytes: 2_000_000, open: true })
  expect(await connection.lastHeard(call)).toBe(5)
  now = 9
  const reply = await handler?.({ method: 'GET', url: '/health', headers: { host: 'localhost' }, body: new Uint8Array(), remote: '' }, call)
  expect(reply?.status).toBe(200)
  expect(await connection.lastHeard(call)).toBe(9)
  await connection.close(call)
})

test('a wrong key is refused before the body is read', async () => {
  let admit: HttpAdmit | undefined
  const context = createContext({ key: 'right' }, async ({ open }, _handler, given) => {
    admit = given
    expect(open).toBe(false)
    return { url: 'http://127.0.0.1:1', port: 1 }
  })
  await apiServer.connect(context, call)
  const head = (key: string) => ({
    ...{ method: 'POST', url: '/v1/chat/completions', remote: '' },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  expect(await admit?.(head('wrong'), call)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
  expect(await admit?.(head('right'), call)).not.toHaveProperty('status')
})

test('a taken port names the variable to change', async () => {
  const context = createContext({}, () => Promise.reject(fail('PORT_IN_USE', { host: 'h', port: 1, setting: 'x' })))
  await expect(apiServer.connect(context, call)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    params: { port: 8642, setting: 'API_SERVER_PORT' },
  })
})

test('other people are not let in without a key', async () => {
  const context = createContext({ host: '0.0.0.0' }, () => Promise.reject(new Error('listened')))
  await expect(apiServer.connect(context, call)).rejects.toMatchObject({ code: 'BIND_UNSAFE' })
})

test('a listener that others reach, though its settings say no such thing, names the key', async () => {
  const context = createContext({}, () => Promise.reject(fail('BIND_UNSAFE', { host: '0.0.0.0', setting: 'x' })))
  await expect(apiServer.connect(context, call)).rejects.toMatchObject({
    code: 'BIND_UNSAFE',
    params: { host: '0.0.0.0', setting: 'API_SERVER_KEY' },
  })
})

test('switched off, it listens nowhere', async () => {
  const context = createContext({ enabled: false }, () => Promise.reject(new Error('listened')))
  await (await apiServer.connect(context, call)).close(call)
})
