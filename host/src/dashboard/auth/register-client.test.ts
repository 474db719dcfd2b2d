import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type Registration, registerClient } from './register-client.ts'

const callback = 'https://agent.example.org/auth/callback'
const token = 'the-initial-token'

interface Asked {
  readonly authorization: string | undefined
  readonly body: unknown
}

/** What comes of a registration at a provider that answers so. */
async function meet(
  answer: (response: ServerResponse) => void,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly made?: Registration; readonly problem?: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      asked.push({ authorization: request.headers.authorization, body: await json(request) })
      return answer(response)
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer, registration_endpoint: `${issuer}/reg`, ...metadata }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wish = { issuer: new URL(issuer), name: 'agent', redirect: new URL(callback), start: new URL('https://agent.example.org/'), token }
  try {
    return { made: await registerClient(wish, { clock: systemClock, signal: new AbortController().signal }), asked }
  } catch (error) {
    if (!isAgentError(error, 'DASHBOARD_REGISTER_FAILED')) throw error
    return { problem: error.message, asked }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const send =
  (body: unknown, status = 201, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

test('it asks for a client of code with the addresses of the dashboard, and keeps what comes', async () => {
  const secret = { client_secret: 'hush', client_secret_expires_at: 1_900_000_000 }
  const { made, asked } = await meet(send({ client_id: 'c', ...secret, redirect_uris: [callback] }))
  expect(made).toEqual({ clientId: 'c', clientSecret: 'hush', secretEndsAt: 1_900_000_000_000 })
  expect(asked).toEqual([
    {
      authorization: `Bearer ${token}`,
      body: {
        ...{ client_name: 'agent', redirect_uris: [callback], post_logout_redirect_uris: ['https://agent.example.org/'] },
        ...{ response_types: ['code'], grant_types: ['authorization_code'], application_type: 'web' },
        token_endpoint_auth_method: 'client_secret_basic',
      },
    },
  ])
})

test.each([
  [['client_secret_post', 'private_key_jwt'], 'client_secret_post'],
  [['none'], 'none'],
])('a provider that knows %j is asked for %s, as the login will prove itself', async (ways, method) => {
  const { made, asked } = await meet(send({ client_id: 'c', token_endpoint_auth_method: 'none' }), {
    token_endpoint_auth_methods_supported: ways,
  })
  expect([made, asked[0]?.body]).toMatchObject([{ clientId: 'c' }, { token_endpoint_auth_method: method }])
})

test.each([
  ['it has no such endpoint', send({}), { registration_endpoint: undefined }, /does not let programs register .*redirect address https/, 0],
  ['the endpoint is not encrypted', send({}), { registration_endpoint: 'http://id.example/reg' }, /is not encrypted/, 0],
  ['it speaks for another issuer', send({}), { issuer: 'https://another.example' }, /issuer/, 0],
  [
    'it refuses',
    send({ error: 'invalid_redirect_uri', error_description: `no ${token}` }, 400),
    {},
    /invalid_redirect_uri: no \[secret\]\. /,
    1,
  ],
  ['it refuses the token', send('', 401, { 'www-authenticate': 'Bearer error="invalid_token"' }), {}, /status 401, invalid_token/, 1],
  ['it fails', send('no', 500), {}, /answer of status 500/, 1],
  ['it answers no JSON', send('<html>'), {}, /JSON/, 1],
  ['it answers a page', send('<html>', 200, { 'content-type': 'text/html' }), {}, /answer of status 200/, 1],
  ['it names no client', send({ client_id: 'a\nb' }), {}, /no client id/, 1],
  ['it wants another proof', send({ client_id: 'c', token_endpoint_auth_method: 'private_key_jwt' }), {}, /client c, .*private_key_jwt/, 1],
  [
    'it leaves the address out',
    send({ client_id: 'c', client_secret: 's', client_secret_expires_at: 0, redirect_uris: [] }),
    {},
    /without the redirect/,
    1,
  ],
  ['it hangs up', (response: ServerResponse) => void response.destroy(), {}, /cannot be reached/, 1],
])('where %s, that is said and nothing is sent twice', async (_name, answer, metadata, words, times) => {
  const { problem, asked } = await meet(answer, metadata)
  expect(problem).toMatch(words)
  expect(problem).not.toContain(token)
  expect(asked).toHaveLength(times)
})

test('a provider that is away is told', async () => {
  const wish = { issuer: new URL('http://127.0.0.1:2'), name: 'agent', redirect: new URL(callback), start: new URL(callback) }
  const failed = registerClient(wish, { clock: systemClock, signal: new AbortController().signal })
  await expect(failed).rejects.toThrow(/127\.0\.0\.1:2 did not register the dashboard: it cannot be reached \(ECONNREFUSED\)\. Look at/)
})
