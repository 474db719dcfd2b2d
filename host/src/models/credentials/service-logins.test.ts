import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { StoredLogin } from '#config/auth/auth-file.ts'
import { keepLogin } from '#config/auth/auth-store.ts'
import { systemClock } from '#kernel/clock.ts'
import { createServiceLogins, loginOfServer } from './service-logins.ts'

const { signal } = new AbortController()

/** Renews a login that is over, and answers with what proved at the token endpoint which client asks. */
async function renew(clientAuth?: NonNullable<StoredLogin['service']>['clientAuth']) {
  const folder = mkdtempSync(join(tmpdir(), 'service-logins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const seen: { readonly header: string | undefined; readonly secret: string | null }[] = []
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    seen.push({ header: request.headers.authorization, secret: form.get('client_secret') })
    response.setHeader('content-type', 'application/json').end('{"access_token":"new","token_type":"bearer"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `${issuer}/mcp`
  const file = join(folder, 'auth.json')
  keepLogin(file, loginOfServer('desk'), {
    ...{ kind: 'pkce', at: 1, renewAt: 1, access: 'old', refresh: 'again', clientId: 'a-client', clientSecret: 'so:secret' },
    service: { url, issuer, tokenUrl: `${issuer}/token`, resource: url, ...(clientAuth === undefined ? {} : { clientAuth }) },
  })
  const logins = createServiceLogins({ files: [file], clock: systemClock, signal, random: Math.random, keepSecret: () => undefined })
  expect(await logins({ server: 'desk', url })).toEqual({ token: 'new' })
  expect(JSON.parse(readFileSync(file, 'utf8')).logins['mcp:desk'].service.clientAuth).toBe(clientAuth)
  return seen
}

test('a renewal puts the secret of a client where the login had it', async () => {
  const header = `Basic ${Buffer.from('a-client:so%3Asecret').toString('base64')}`
  expect(await renew('client_secret_basic')).toEqual([{ header, secret: null }])
  expect(await renew('client_secret_post')).toEqual([{ header: undefined, secret: 'so:secret' }])
  expect(await renew()).toEqual([{ header: undefined, secret: 'so:secret' }])
})
