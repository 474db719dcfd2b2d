// @module-tag server
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, ProviderManifest } from '@agent/plugin-sdk'
import type { ShownCode } from '@agent/plugin-sdk/oauth'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAuthFile } from '../../host/src/config/auth/auth-file.ts'
import { createCredential } from '../../host/src/models/credentials/create-credential.ts'
import { findLoginTrouble, runLogin } from '../../host/src/models/credentials/run-login.ts'
import { bundledProviders } from '../providers/bundled.ts'
import { startGoogleTokens, startMinimaxLogin, type VendorLogin } from './vendor-logins.ts'

const providers = bundledProviders(join(import.meta.dirname, '../..'))
const { signal } = new AbortController()
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'))
  file = join(folder, 'auth.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Pauses are over at once, and remembered. */
function quickClock(now: () => number = Date.now): Clock & { readonly pauses: readonly number[] } {
  const pauses: number[] = []
  return {
    pauses,
    now,
    sleep: (ms, of) => {
      if (ms >= 10_000) return new Promise((_, reject) => of?.addEventListener('abort', () => reject(of.reason), { once: true }))
      pauses.push(ms)
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}

type Login = NonNullable<ProviderManifest['login']>

/** A provider as it comes, but for where it is. */
function bundled(id: string, change: (login: Login) => object): { id: string; spec: ProviderManifest } {
  const spec = providers.find((one) => one.id === id)
  if (!spec?.login) throw new Error(`There is no ${id}.`)
  return { id, spec: { ...spec, login: { ...spec.login, ...change(spec.login) } as Login } }
}

const minimax = ({ url }: VendorLogin) =>
  bundled('minimax-oauth', () => ({ deviceUrl: `${url}/oauth2/device/code`, tokenUrl: `${url}/oauth2/token` }))
const google = (url: string) =>
  bundled('google-gemini-cli', (login) => ({
    authorizationUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    loopback: { host: '127.0.0.1', port: 0, path: '/oauth2callback' },
    orElse: { ...(login.kind === 'pkce' ? login.orElse : {}), file: join(folder, 'oauth_creds.json') },
  }))

interface Talked {
  readonly clock?: Clock
  readonly variables: Readonly<Record<string, string>>
  showCode?(code: ShownCode): void
  showAddress?(address: string): void
}

const logIn = (provider: ReturnType<typeof bundled>, { clock = quickClock(), variables, showCode, showAddress }: Talked) =>
  runLogin(provider, {
    ...{ file, clock, signal, environment: { get: (name) => variables[name] }, environmentFile: '/home/.env' },
    talk: {
      showCode: showCode ?? (() => undefined),
      showAddress: showAddress ?? (() => undefined),
      paste: () => new Promise(() => undefined),
    },
  })

async function tokenOf({ id, spec }: ReturnType<typeof bundled>, now: () => number = Date.now, secrets: string[] = []) {
  const credential = createCredential({ id, spec }, undefined, {
    ...{ files: [file], loggedIn: () => new Set([id]), clock: quickClock(now), signal, random: Math.random },
    ...{ keepSecret: (secret) => secrets.push(secret), strategyOf: () => 'fill_first' },
  })
  const request = { method: 'POST' as const, url: new URL(spec.baseUrl ?? ''), headers: {}, body: '' }
  return (await credential?.authorize(request, signal, () => ({})))?.authorization
}

test('MiniMax: the code that is shown is asked with, its times are its own, and a token is renewed by the one that came with it', async () => {
  await using server = await startMinimaxLogin({ clientId: 'mine' })
  const provider = minimax(server)
  const clock = quickClock()
  const shown: ShownCode[] = []
  await logIn(provider, { clock, variables: { MINIMAX_OAUTH_CLIENT_ID: 'mine' }, showCode: (code) => shown.push(code) })
  expect(shown).toMatchObject([{ address: expect.stringContaining('platform.minimax.io'), code: 'ABCD-EFGH' }])
  expect(Math.round((shown[0]?.lastsMs ?? 0) / 10_000)).toBe(30)
  expect(clock.pauses).toEqual([3000, 3000, 3000])
  expect(server.forms[0]?.scope).toBe('group_id profile model.completion')
  const login = readAuthFile(file).logins['minimax-oauth']
  expect(login).toMatchObject({ kind: 'device-code', clientId: 'mine', access: 'access-1', refresh: 'refresh-2' })
  expect(Math.round(((login?.expiresAt ?? 0) - Date.now()) / 100_000)).toBe(72)
  expect(await tokenOf(provider)).toBe('Bearer access-1')
  expect(await tokenOf(provider, () => Date.now() + 7_190_000)).toBe('Bearer access-2')
  expect(readAuthFile(file).logins['minimax-oauth']).toMatchObject({ access: 'access-2', refresh: 'refresh-3' })
})

test('MiniMax: an answer to somebody else, a refusal and a missing client id are told, and nothing is kept', async () => {
  await using other = await startMinimaxLogin({ clientId: 'mine', state: 'of-another' })
  const variables = { MINIMAX_OAUTH_CLIENT_ID: 'mine' }
  await expect(logIn(minimax(other), { variables })).rejects.toMatchObject({ params: { detail: 'its answer belongs to another login' } })
  await using closed = await startMinimaxLogin({ clientId: 'mine', refuses: true })
  await expect(logIn(minimax(closed), { variables })).rejects.toMatchObject({
    code: 'LOGIN_FAILED',
    params: { detail: 'access_denied: no coding plan' },
  })
  await expect(logIn(minimax(closed), { variables: {} })).rejects.toThrow('MINIMAX_OAUTH_CLIENT_ID=… in /home/.env')
  expect(readAuthFile(file).logins).toEqual({})
})

test('MiniMax China asks its own servers', () => {
  const one = providers.find(({ id }) => id === 'minimax-cn-oauth')
  expect(one).toMatchObject({
    baseUrl: 'https://api.minimaxi.com/anthropic',
    login: { tokenUrl: 'https://account.minimaxi.com/oauth2/token' },
  })
})

test('Google: page, code and renewal carry the client that the variables name, whose secret is kept out of the logs', async () => {
  await using server = await startGoogleTokens({ clientId: 'mine', clientSecret: 'GOCSPX-mine' })
  const provider = google(server.url)
  const variables = { GEMINI_OAUTH_CLIENT_ID: 'mine', GEMINI_OAUTH_CLIENT_SECRET: 'GOCSPX-mine' }
  let page = new URL('http://none')
  const showAddress = (address: string): void => {
    page = new URL(address)
    const { searchParams } = page
    void fetch(`${searchParams.get('redirect_uri')}?code=4/once&state=${searchParams.get('state')}`)
  }
  await logIn(provider, { variables, showAddress })
  expect(page.href).toContain('/auth?access_type=offline&prompt=consent&')
  expect(page.searchParams.get('scope')).toContain('https://www.googleapis.com/auth/cloud-platform')
  expect(page.searchParams.get('code_challenge_method')).toBe('S256')
  expect(readAuthFile(file).logins['google-gemini-cli']).toMatchObject({ kind: 'pkce', access: 'ya29.first', refresh: '1//refresh' })
  const secrets: string[] = []
  expect(await tokenOf(provider, Date.now, secrets)).toBe('Bearer ya29.first')
  expect(secrets).toEqual(['ya29.first', '1//refresh', 'GOCSPX-mine'])
  expect(await tokenOf(provider, () => Date.now() + 3_590_000)).toBe('Bearer ya29.second')
  await expect(logIn(provider, { variables: { GEMINI_OAUTH_CLIENT_ID: 'mine' }, showAddress })).rejects.toThrow('client_secret is missing')
})

test('Google: without a client id it is said what to set; the login of Gemini CLI stands in, and is read where that keeps it', async () => {
  const provider = google('http://127.0.0.1:1')
  const place = { environment: { get: () => undefined }, environmentFile: '/home/.env' }
  const told = findLoginTrouble(provider, place)
  for (const way of ['GEMINI_OAUTH_CLIENT_ID=… in /home/.env', 'GEMINI_OAUTH_CLIENT_SECRET', 'log in with Gemini CLI'])
    expect(told).toContain(way)
  await expect(logIn(provider, { variables: {} })).rejects.toThrow('log in with Gemini CLI')
  const kept = JSON.stringify({ access_token: 'ya29.theirs', refresh_token: '1//theirs', expiry_date: Date.now() + 3_000_000 })
  writeFileSync(join(folder, 'oauth_creds.json'), kept)
  expect(findLoginTrouble(provider, place)).toBeUndefined()
  await logIn(provider, { variables: {} })
  expect(readAuthFile(file).logins['google-gemini-cli']).toMatchObject({ kind: 'cli' })
  expect(await tokenOf(provider)).toBe('Bearer ya29.theirs')
  // Nothing of it is copied, and its file is left as it is.
  expect(readFileSync(file, 'utf8')).not.toContain('theirs')
  expect(readFileSync(join(folder, 'oauth_creds.json'), 'utf8')).toBe(kept)
})
