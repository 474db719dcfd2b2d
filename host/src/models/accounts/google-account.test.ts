import { createVerify, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Clock } from '@agent/plugin-sdk'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { bundledProviders } from '../../../../test/providers/bundled.ts'
import { openProvedEndpoint } from './open-proved.ts'

const userFolder = mkdtempSync(join(tmpdir(), 'agent-google-'))
afterAll(() => rmSync(userFolder, { recursive: true }))
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const spec = bundledProviders(join(import.meta.dirname, '../../../..')).find(({ id }) => id === 'vertex')

const never = new AbortController().signal
const request = { method: 'POST' as const, url: new URL('https://x.test/'), headers: {}, body: '{}' }

/** A token server that counts what it gave, and checks who asks as the vendor does. */
async function startTokens({
  refuse,
  lasts,
}: {
  readonly refuse?: { readonly status: number; readonly body: object }
  readonly lasts?: number
} = {}) {
  const asked: URLSearchParams[] = []
  const server = createServer(async (incoming, reply) => {
    const form = new URLSearchParams(await text(incoming))
    if (incoming.headers['content-type'] !== 'application/x-www-form-urlencoded') form.delete('grant_type')
    asked.push(form)
    const wrong =
      refuse ??
      (isProved(form, url) ? undefined : { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } })
    reply.writeHead(wrong?.status ?? 200, { 'content-type': 'application/json' })
    reply.end(
      JSON.stringify(
        wrong?.body ?? {
          access_token: `token-${asked.length}`,
          token_type: 'Bearer',
          ...(lasts === undefined ? {} : { expires_in: lasts }),
        },
      ),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() }
}

function isProved(form: URLSearchParams, aud: string): boolean {
  if (form.get('grant_type') === 'refresh_token')
    return ['client_id', 'client_secret', 'refresh_token'].every((name) => form.get(name) === `the-${name}`)
  const [header = '', claim = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const said = JSON.parse(Buffer.from(claim, 'base64url').toString()) as {
    iss: string
    aud: string
    exp: number
    iat: number
    scope: string
  }
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string; kid: string }
  const isNow = Math.abs(said.iat - Date.now() / 1_000) < 86_400
  const isSigned =
    alg === 'RS256' &&
    kid === 'k1' &&
    isNow &&
    createVerify('RSA-SHA256').update(`${header}.${claim}`).verify(publicKey, signature, 'base64url')
  return isSigned && said.iss === 'me@x.test' && said.aud === aud && said.exp - said.iat === 3_600 && /cloud-platform$/.test(said.scope)
}

const service = (tokenUrl: string) => ({
  type: 'service_account',
  client_email: 'me@x.test',
  private_key: pem,
  private_key_id: 'k1',
  project_id: 'of-file',
  token_uri: tokenUrl,
})
const user = (tokenUrl: string) => ({
  type: 'authorized_user',
  client_id: 'the-client_id',
  client_secret: 'the-client_secret',
  refresh_token: 'the-refresh_token',
  quota_project_id: 'quota',
  token_uri: tokenUrl,
})

async function open(
  file: object | string,
  { clock = systemClock, env = {} }: { readonly clock?: Clock; readonly env?: Record<string, string> } = {},
) {
  if (!spec) throw new Error('there is no provider vertex')
  const path = join(userFolder, 'keys.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  const environment = { get: (name: string) => ({ GOOGLE_APPLICATION_CREDENTIALS: path, ...env })[name] }
  return openProvedEndpoint({ id: 'vertex', spec }, { config: { model: {} }, environment, environmentFile: '.env', clock, userFolder })
}

test('a service account signs a claim, and its token is used until shortly before its end', async () => {
  await using tokens = await startTokens()
  let now = Date.now()
  const { credential, baseUrl } = await open(service(tokens.url), { clock: { ...systemClock, now: () => now } })
  expect(baseUrl).toBe('https://aiplatform.googleapis.com/v1/projects/of-file/locations/global/publishers/google')
  const prove = () => credential?.authorize(request, never, () => ({}))
  expect(await prove()).toEqual({ authorization: 'Bearer token-1' })
  now += 54 * 60_000
  expect(await prove()).toEqual({ authorization: 'Bearer token-1' })
  now += 2 * 60_000
  expect(await prove()).toEqual({ authorization: 'Bearer token-2' })
  expect(tokens.asked).toHaveLength(2)
})

test('a token that is refused long after it was made is made again once, a fresh one is not', async () => {
  await using tokens = await startTokens()
  let now = Date.now()
  const { credential } = await open(service(tokens.url), { clock: { ...systemClock, now: () => now } })
  const refused = async (proof: Record<string, string> = {}, status = 401) => credential?.refused?.({ class: 'auth', status, proof }, never)
  expect(await refused(await credential?.authorize(request, never, () => ({})))).toBe(false)
  const proof = await credential?.authorize(request, never, () => ({}))
  now += 60_000
  expect(await refused(proof, 403)).toBe(false)
  expect(await refused(proof)).toBe(true)
  expect(await credential?.authorize(request, never, () => ({}))).toEqual({ authorization: 'Bearer token-3' })
})

test("gcloud's login is renewed by its refresh token and names the project that pays", async () => {
  await using tokens = await startTokens()
  const { credential, baseUrl } = await open(user(tokens.url), { env: { GOOGLE_CLOUD_LOCATION: 'europe-west4' } })
  expect(baseUrl).toBe('https://europe-west4-aiplatform.googleapis.com/v1/projects/quota/locations/europe-west4/publishers/google')
  expect(await credential?.authorize(request, never, () => ({}))).toEqual({
    authorization: 'Bearer token-1',
    'x-goog-user-project': 'quota',
  })
})

test('what a variable says of project and place wins over the file, and a key needs neither', async () => {
  const env = { VERTEX_PROJECT: 'mine', VERTEX_LOCATION: 'eu' }
  expect((await open(service('https://x.test'), { env })).baseUrl).toBe(
    'https://aiplatform.eu.rep.googleapis.com/v1/projects/mine/locations/eu/publishers/google',
  )
  const keyed = await open('', { env: { VERTEX_API_KEY: 'AQ.mine' } })
  expect(keyed).toMatchObject({ key: 'AQ.mine', baseUrl: 'https://aiplatform.googleapis.com/v1/publishers/google' })
  expect(keyed.credential).toBeUndefined()
  await expect(open('')).rejects.toMatchObject({ code: 'ENV_MISSING', params: { name: 'VERTEX_PROJECT' } })
})

test("gcloud's own file is found below the user's folder", async () => {
  await using tokens = await startTokens()
  const folder = join(userFolder, '.config', 'gcloud')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'application_default_credentials.json'), JSON.stringify(user(tokens.url)))
  const { credential } = await open('', { env: { GOOGLE_APPLICATION_CREDENTIALS: '' } })
  expect(await credential?.authorize(request, never, () => ({}))).toMatchObject({ authorization: 'Bearer token-1' })
})

test.each<[string, (url: string) => object | string, string]>([
  ['a file that is gone or broken', () => 'no json', 'is no JSON object'],
  ['a kind that is not followed', () => ({ type: 'external_account' }), 'of the type external_account'],
  ['an address in the clear', () => service('http://tokens.test/'), 'not an https address'],
  ['a key that is none', (url) => ({ ...service(url), private_key: 'x' }), 'private key'],
  ['another account', (url) => ({ ...service(url), client_email: 'you@x.test' }), 'invalid_grant: Invalid JWT Signature.'],
  ['a login that has ended', (url) => ({ ...user(url), refresh_token: 'x' }), 'gcloud auth application-default login` logs in again'],
])('%s is told with what to do, and without a secret', async (_title, fileOf, told) => {
  await using tokens = await startTokens()
  const { credential } = await open(fileOf(tokens.url), { env: { VERTEX_PROJECT: 'p' } })
  const failure = await Promise.resolve(credential?.authorize(request, never, () => ({}))).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'MODEL_AUTH', message: expect.stringContaining(told) })
  expect(String(failure)).not.toMatch(/PRIVATE KEY|the-client_secret|the-refresh_token/)
})

test('a token lasts as long as its server says', async () => {
  await using tokens = await startTokens({ lasts: 600 })
  let now = Date.now()
  const { credential } = await open(service(tokens.url), { clock: { ...systemClock, now: () => now } })
  const prove = async () => (await credential?.authorize(request, never, () => ({})))?.authorization
  expect(await prove()).toBe('Bearer token-1')
  now += 290_000
  expect(await prove()).toBe('Bearer token-1')
  now += 20_000
  expect(await prove()).toBe('Bearer token-2')
})

test('the project that pays is named for a login only', async () => {
  await using tokens = await startTokens()
  const { credential } = await open({ ...service(tokens.url), quota_project_id: 'quota' })
  expect(await credential?.authorize(request, never, () => ({}))).toEqual({ authorization: 'Bearer token-1' })
})

test('another token than the current one, which was refused, is no reason to make one', async () => {
  await using tokens = await startTokens()
  let now = Date.now()
  const { credential } = await open(service(tokens.url), { clock: { ...systemClock, now: () => now } })
  await credential?.authorize(request, never, () => ({}))
  now += 60_000
  expect(await credential?.refused?.({ class: 'auth', status: 401, proof: { authorization: 'Bearer older' } }, never)).toBe(false)
})

test.each(['client_email', 'private_key'])('the file of a service account without its %s is told', async (field) => {
  const { credential } = await open({ ...service('https://x.test'), [field]: 7 }, { env: { VERTEX_PROJECT: 'p' } })
  await expect(Promise.resolve(credential?.authorize(request, never, () => ({})))).rejects.toThrow(
    'of the type service_account or lacks a part',
  )
})

test.each(['client_id', 'client_secret', 'refresh_token'])('a login without its %s is told', async (field) => {
  const { credential } = await open({ ...user('https://x.test'), [field]: '' }, { env: { VERTEX_PROJECT: 'p' } })
  await expect(Promise.resolve(credential?.authorize(request, never, () => ({})))).rejects.toThrow(
    'of the type authorized_user or lacks a part',
  )
})

test('a file that is gone says which, and how one is made', async () => {
  const { credential } = await open('', { env: { GOOGLE_APPLICATION_CREDENTIALS: '/nonexistent/keys.json', VERTEX_PROJECT: 'p' } })
  await expect(Promise.resolve(credential?.authorize(request, never, () => ({})))).rejects.toThrow(
    /\/nonexistent\/keys.json cannot be read: `gcloud auth/,
  )
})

test.each([
  [{ error: 'invalid_scope' }, 'gave no token: invalid_scope'],
  [{}, 'gave no token: HTTP 400'],
  [{ access_token: 'x', error: 7 }, 'gave no token: HTTP 400'],
])('a refusal that says %j is told as it is, and not as a login that has ended', async (body, told) => {
  await using tokens = await startTokens({ refuse: { status: 400, body } })
  const { credential } = await open(user(tokens.url))
  const failure = String(await Promise.resolve(credential?.authorize(request, never, () => ({}))).catch((error: unknown) => error))
  expect(failure).toContain(told)
  expect(failure).not.toContain('logs in again')
})

test.each([
  [500, 'MODEL_SERVER_ERROR'],
  [200, 'MODEL_AUTH'],
  [503, 'MODEL_SERVER_ERROR'],
  [429, 'MODEL_RATE_LIMIT'],
])('a token server that answers %i is no wrong login', async (status, code) => {
  await using tokens = await startTokens({ refuse: { status, body: {} } })
  const { credential } = await open(service(tokens.url))
  await expect(Promise.resolve(credential?.authorize(request, never, () => ({})))).rejects.toMatchObject({ code })
})
