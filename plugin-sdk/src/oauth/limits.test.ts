import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type OAuthTokens, pkce, refresh } from './index.ts'

const { signal } = new AbortController()
const clock = {
  now: Date.now,
  sleep: (_: number, of?: AbortSignal) => new Promise<void>((_, reject) => of?.addEventListener('abort', reject)),
}

/** Renews at a server that answers with this and nothing else. */
async function renewAt(answer: (response: ServerResponse) => void, byMetadata = false): Promise<OAuthTokens> {
  const server = createServer((_, response) => answer(response.setHeader('content-type', 'application/json'))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const place = byMetadata ? { issuer: origin } : { tokenUrl: `${origin}/token` }
  try {
    return await refresh({ name: 'fake', clientId: 'x', ...place }, 'old', { clock, signal })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const tokens = (more: object) => (response: ServerResponse) =>
  void response.end(JSON.stringify({ access_token: 'new', token_type: 'bearer', ...more }))

test.each([
  [0.0001, 0],
  [1.2345, 1234],
  [1e14, 315_360_000_000],
  [8.7e12, 315_360_000_000],
])('a token that lasts %d seconds lasts whole milliseconds, and ten years at most', async (seconds, lastsMs) => {
  expect(await renewAt(tokens({ expires_in: seconds }))).toEqual({ access: 'new', refresh: 'old', lastsMs })
})

test.each(['access_token', 'refresh_token'])('%s of more than 16 KB is refused', async (key) => {
  expect(await renewAt(tokens({ [key]: 'x'.repeat(16_384) }))).toMatchObject({ access: expect.any(String) })
  const refused = renewAt(tokens({ [key]: 'x'.repeat(16_385) }))
  await expect(refused).rejects.toMatchObject({ code: 'LOGIN_FAILED', params: { detail: 'its token is longer than 16,384 letters' } })
})

test.each([
  ['tokens', false],
  ['metadata', true],
])('an answer with %s is read no further than 256 KB, counted as it is unpacked', async (_, byMetadata) => {
  const packed = gzipSync(`{"access_token":"new","token_type":"bearer","more":"${' '.repeat(300_000)}"}`)
  const refused = renewAt((response) => void response.setHeader('content-encoding', 'gzip').end(packed), byMetadata)
  await expect(refused).rejects.toMatchObject({
    code: 'LOGIN_FAILED',
    params: { detail: expect.stringMatching(/^the answer of .* is too long$/) },
  })
})

test('a key that is made in place of tokens is short as well', async () => {
  const server = createServer((_, response) => void response.end(JSON.stringify({ key: 'x'.repeat(16_385) }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const vendor = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { name: 'mint', clientId: '', authorizationUrl: `${vendor}/auth`, tokenUrl: `${vendor}/keys` }
  const run = { clock, signal, mintUrl: `${vendor}/keys`, redirectUrl: `${vendor}/back`, show: () => undefined, paste: async () => 'code' }
  await expect(pkce(client, run)).rejects.toMatchObject({ code: 'LOGIN_FAILED' })
  server.closeAllConnections()
  server.close()
})
