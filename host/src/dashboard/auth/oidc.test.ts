import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { createOidc } from './oidc.ts'

const basic = `Basic ${Buffer.from('c:hush').toString('base64')}`

test.each([
  ['in the header, unless it says otherwise', undefined, 'hush', [basic, null, null]],
  ['in the body, where it takes no header', ['client_secret_post'], 'hush', [undefined, 'c', 'hush']],
  ['not at all, without a secret', ['none'], undefined, [undefined, 'c', null]],
])('a provider hears who asks for the token: %s', async (_name, ways, clientSecret, proof) => {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.method !== 'POST') {
      const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }
      return void response.end(JSON.stringify({ issuer, ...endpoints, token_endpoint_auth_methods_supported: ways }))
    }
    const body = new URLSearchParams(await text(request))
    asked.push(request.headers.authorization, body.get('client_id'), body.get('client_secret'))
    response.writeHead(400).end('{"error":"invalid_client"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const people = { users: ['*'], emails: [], groups: [] }
    const settings = { ...people, issuer: new URL(issuer), clientId: 'c', scopes: 'openid', ...(clientSecret ? { clientSecret } : {}) }
    const oidc = createOidc(settings, systemClock)
    const { journey } = await oidc.begin('https://agent.example.org/auth/callback', '')
    await expect(oidc.complete(journey, new URLSearchParams({ code: 'x', state: journey.state }))).rejects.toThrow()
    expect(asked).toEqual(proof)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
