// @module-tag server
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock } from '@agent/plugin-sdk'
import { deviceCode, pkce, refresh, type ShownCode } from '@agent/plugin-sdk/oauth'
import { expect, test } from 'vitest'
import { browse, startOidcServer } from './oidc-server.ts'

/** Pauses are over at once, and remembered. A time limit is never over. */
function quickClock(now: () => number = Date.now): Clock & { readonly pauses: readonly number[] } {
  const pauses: number[] = []
  return {
    pauses,
    now,
    sleep: (ms, signal) => {
      if (ms >= 30_000) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
      pauses.push(ms)
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const { signal } = new AbortController()
const clientOf = ({ issuer, clientId }: { issuer: string; clientId: string }) => ({
  ...{ name: 'fake', issuer, clientId },
  scopes: ['openid', 'offline_access'],
})

test('device code: the person types it in elsewhere, the server asks to be asked less often', async () => {
  await using server = await startOidcServer({ slowDowns: 2 })
  const clock = quickClock()
  let shown: ShownCode | undefined
  let typed: Promise<unknown> | undefined
  const tokens = await deviceCode(clientOf(server), {
    clock,
    signal,
    show: (code) => {
      shown = code
      typed = browse(code.fullAddress ?? '')
    },
  })
  await typed
  expect(shown).toMatchObject({ address: `${server.issuer}/device`, code: expect.stringMatching(/^[A-Z-]{8,}$/), lastsMs: 600_000 })
  expect(tokens).toEqual({ access: expect.any(String), refresh: expect.any(String), lastsMs: 3_600_000 })
  expect(clock.pauses.slice(0, 3)).toEqual([5000, 10_000, 15_000])
})

test('device code: polls through a server in trouble, and ends when the code has run out', async () => {
  await using server = await startOidcServer()
  server.fail({ status: 503 })
  const show = (): void => undefined
  await expect(deviceCode(clientOf(server), { clock: quickClock(), signal, show })).rejects.toMatchObject({
    code: 'LOGIN_FAILED',
    message: 'The login to fake did not succeed: the code was not typed in while it was good.',
  })
  expect(server.grants.length).toBeGreaterThan(5)
})

test('a person who gives up ends the wait', async () => {
  await using server = await startOidcServer()
  const stop = new AbortController()
  const waiting = deviceCode(clientOf(server), { clock: quickClock(), signal: stop.signal, show: () => stop.abort(new Error('enough')) })
  await expect(waiting).rejects.toThrow('enough')
})

const loopback = { path: '/callback' }

test('PKCE: the browser comes back to a port of this machine', async () => {
  await using server = await startOidcServer()
  let page: Promise<{ text: string }> | undefined
  const show = (address: string): void => {
    page = browse(address)
  }
  const tokens = await pkce(clientOf(server), { clock: quickClock(), signal, show, loopback, paste: () => new Promise(() => undefined) })
  expect(tokens).toEqual({ access: expect.any(String), refresh: expect.any(String), lastsMs: 3_600_000 })
  expect((await page)?.text).toContain('You may close this window')
})

test('PKCE: an answer that is not ours is passed over, a refusal is told', async () => {
  await using server = await startOidcServer()
  const show = async (address: string): Promise<void> => {
    const { searchParams } = new URL(address)
    const back = searchParams.get('redirect_uri')
    expect((await fetch(`${back}?code=stolen&state=other`)).status).toBe(400)
    expect((await fetch(`${back}/else`)).status).toBe(404)
    await fetch(`${back}?error=access_denied&state=${searchParams.get('state')}`)
  }
  const waiting = pkce(clientOf(server), { clock: quickClock(), signal, loopback, show: (address) => void show(address) })
  await expect(waiting).rejects.toMatchObject({ code: 'LOGIN_FAILED', params: { detail: 'access_denied' } })
  expect(server.grants).toEqual([])
})

test('PKCE: who gives up while the address is shown waits for nothing, and the port is free again', async () => {
  await using server = await startOidcServer()
  const giving = new AbortController()
  let back = ''
  const show = (address: string): void => {
    back = new URL(address).searchParams.get('redirect_uri') ?? ''
    giving.abort(new Error('given up'))
  }
  const run = {
    clock: quickClock(),
    signal: giving.signal,
    show,
    loopback: { path: '/callback' },
    paste: () => new Promise<string>(() => undefined),
  }
  await expect(pkce(clientOf(server), run)).rejects.toThrow('given up')
  await expect(fetch(back)).rejects.toThrow('fetch failed')
})

for (const form of ['address', 'code#state', 'code'] as const) {
  test(`PKCE: a person pastes the ${form}`, async () => {
    await using server = await startOidcServer()
    let come: (address: string) => void = () => undefined
    const came = new Promise<string>((resolve) => {
      come = resolve
    })
    const tokens = await pkce(clientOf(server), {
      ...{ clock: quickClock(), signal, redirectUrl: 'http://127.0.0.1:1/callback' },
      show: (address) => void browse(address).then((page) => come(page.address)),
      paste: async () => {
        const { href, searchParams } = new URL(await came)
        const code = searchParams.get('code')
        return form === 'address' ? href : form === 'code' ? ` ${code}\n` : `${code}#${searchParams.get('state')}`
      },
    })
    expect(tokens.access).toEqual(expect.any(String))
  })
}

test('refresh: the token is replaced each time; an old one used again ends the login, and that is told', async () => {
  await using server = await startOidcServer()
  const client = clientOf(server)
  const run = { clock: quickClock(), signal }
  const first = await deviceCode(client, { ...run, show: ({ fullAddress = '' }) => void browse(fullAddress) })
  const second = await refresh(client, first.refresh ?? '', run)
  expect(second.refresh).not.toBe(first.refresh)
  const again = refresh(client, first.refresh ?? '', run)
  await expect(again).rejects.toMatchObject({ code: 'LOGIN_ENDED', message: expect.stringContaining('Run agent login fake') })
  await expect(refresh(client, second.refresh ?? '', run)).rejects.toMatchObject({ code: 'LOGIN_ENDED' })
})

test('refresh: a server that limits, fails or is not there does not end a login', async () => {
  await using server = await startOidcServer()
  const run = { clock: quickClock(), signal }
  server.fail({ status: 429, headers: { 'retry-after': '7' } })
  await expect(refresh(clientOf(server), 'any', run)).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT', retryAfterMs: 7000 })
  server.fail({ status: 500 })
  await expect(refresh(clientOf(server), 'any', run)).rejects.toMatchObject({ code: 'MODEL_SERVER_ERROR' })
  const gone = { ...clientOf(server), issuer: 'http://127.0.0.1:1' }
  await expect(refresh(gone, 'any', run)).rejects.toMatchObject({ code: 'MODEL_DISCONNECTED' })
})

test('a token goes nowhere else: a redirect of the server is not followed', async () => {
  await using server = await startOidcServer()
  await using other = await startOidcServer()
  server.fail({ status: 307, headers: { location: `${other.issuer}/token` } })
  const refused = refresh(clientOf(server), 'any', { clock: quickClock(), signal })
  await expect(refused).rejects.toMatchObject({ code: 'LOGIN_FAILED' })
  expect([server.grants.length, other.grants.length]).toEqual([1, 0])
})

test('a clock that is ten minutes off changes nothing', async () => {
  await using server = await startOidcServer()
  for (const off of [-600_000, 600_000]) {
    const run = { clock: quickClock(() => Date.now() + off), signal }
    const tokens = await deviceCode(clientOf(server), { ...run, show: ({ fullAddress = '' }) => void browse(fullAddress) })
    expect((await refresh(clientOf(server), tokens.refresh ?? '', run)).lastsMs).toBe(3_600_000)
  }
})

test('without encryption nobody but this machine is asked', async () => {
  const client = { name: 'far', clientId: 'x', tokenUrl: 'http://example.org/token' }
  await expect(refresh(client, 'any', { clock: quickClock(), signal })).rejects.toMatchObject({ code: 'LOGIN_FAILED' })
})

test('a code becomes a lasting key where the vendor makes keys instead of tokens', async () => {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    const { url = '', method } = request
    if (method === 'GET') {
      const { searchParams } = new URL(url, 'http://vendor')
      asked.push(searchParams.get('code_challenge_method'))
      return void response.writeHead(302, { location: `${searchParams.get('callback_url')}?code=once` }).end()
    }
    const { code, code_verifier: verifier } = JSON.parse(await text(request)) as Record<string, string>
    asked.push(code, verifier?.length)
    response.end(JSON.stringify({ key: 'sk-or-minted' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const vendor = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { name: 'mint', clientId: '', authorizationUrl: `${vendor}/auth`, tokenUrl: `${vendor}/keys` }
  const run = { clock: quickClock(), signal, loopback, mintUrl: `${vendor}/keys` }
  expect(await pkce(client, { ...run, show: (address) => void fetch(address) })).toEqual({ access: 'sk-or-minted' })
  expect(asked).toEqual(['S256', 'once', 43])
  server.closeAllConnections()
  server.close()
})
