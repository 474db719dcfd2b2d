import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface OidcOptions {
  /** Seconds that an access token lasts. */
  readonly lasts?: number
  /** How many polls for a device code are told to slow down. */
  readonly slowDowns?: number
  /** Seconds between polls that it asks for; absent: it does not say, which means five. */
  readonly interval?: number
  /** Where a browser may be sent after the login has been ended there. */
  readonly backTo?: string
  /** Clients then prove by this who they are. */
  readonly clientSecret?: string
  /** Whether programs may register themselves; a text is the initial access token that they need. */
  readonly registration?: true | string
  /** What tokens may be for beside the accounts, whatever address a client names (RFC 8707). */
  readonly scopesOfResources?: string
  /** Makes another ID token of the one that was signed. */
  readonly forge?: (idToken: string) => string
}

export interface OidcServer extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  /** Kinds of grants that were asked for at the token endpoint, in order. */
  readonly grants: readonly string[]
  /** What an access token is for; undefined where it is none, or none any more. */
  audienceOf(token: string): Promise<string | undefined>
  /** Leaves the next renewal without an answer for ever; resolves once it is asked for. */
  hold(): Promise<void>
  /** Answers the token endpoint with this from now on, until called without. */
  fail(answer?: { readonly status: number; readonly headers?: Record<string, string> }): void
}

const clientId = 'agent-test'

/** A real server for logins, on a free loopback port. Its login page takes any name. */
export async function startOidcServer(options: OidcOptions = {}): Promise<OidcServer> {
  const { slowDowns = 0, interval, forge } = options
  const grants: string[] = []
  let failing: { readonly status: number; readonly headers?: Record<string, string> } | undefined
  let slow = slowDowns
  let onHeld: (() => void) | undefined
  const server = createServer(async (request: IncomingMessage & { body?: unknown }, response) => {
    if (request.url === '/token') {
      const body = Object.fromEntries(new URLSearchParams(await text(request)))
      request.body = body
      grants.push(String(body.grant_type).replace(/.*:/, ''))
      if (body.grant_type === 'refresh_token' && onHeld) {
        onHeld()
        onHeld = undefined
        return
      }
      if (failing) return void response.writeHead(failing.status, failing.headers).end('{}')
      if (String(body.grant_type).endsWith(':device_code') && slow > 0) {
        slow -= 1
        return void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"slow_down"}')
      }
    }
    if (request.url === '/device/auth' && interval !== undefined) changeBody(response, (body) => ({ ...body, interval }))
    if (request.url === '/token' && forge) changeBody(response, (body) => ({ ...body, id_token: forge(String(body.id_token)) }))
    handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const unmute = mute()
  const { default: Provider } = await import('oidc-provider')
  const provider = new Provider(issuer, settings(options))
  const handle = provider.callback()
  return {
    audienceOf: async (token) => {
      const found = await provider.AccessToken.find(token)
      return found?.isValid ? String(found.aud) : undefined
    },
    issuer,
    clientId,
    grants,
    hold: () =>
      new Promise((resolve) => {
        onHeld = resolve
      }),
    fail(answer) {
      failing = answer
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      unmute()
    },
  }
}

function changeBody(response: ServerResponse, change: (body: Readonly<Record<string, unknown>>) => object): void {
  const end = response.end.bind(response)
  const replaced = (body: string): ServerResponse => {
    const text = JSON.stringify(change(JSON.parse(body)))
    response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }
  Object.assign(response, { end: replaced })
}

/** Everybody has an address; that of mallory was not verified. Ann keeps things. */
const findAccount = (_context: unknown, sub: string): object => ({
  accountId: sub,
  claims: () => ({ sub, email: `${sub}@example.org`, email_verified: sub !== 'mallory', groups: sub === 'ann' ? ['keepers'] : [] }),
})

function settings({ lasts = 3600, backTo, clientSecret, registration, scopesOfResources: scope }: OidcOptions): object {
  return {
    clients: [
      {
        client_id: clientId,
        ...(clientSecret ? { client_secret: clientSecret } : { token_endpoint_auth_method: 'none' }),
        ...(backTo ? { post_logout_redirect_uris: [backTo] } : {}),
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: [
          ...['http://127.0.0.1/callback', 'http://127.0.0.1/auth/callback'],
          ...(backTo ? [new URL('auth/callback', backTo).href] : []),
        ],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: Object.keys({ email: true, email_verified: true }), groups: ['groups'] },
    findAccount,
    cookies: { keys: ['only for tests'] },
    features: {
      ...{ deviceFlow: { enabled: true }, devInteractions: { enabled: true }, revocation: { enabled: true } },
      ...(scope === undefined ? {} : { resourceIndicators: resourcesWith(scope) }),
      ...(registration ? { registration: { enabled: true, initialAccessToken: registration === true ? false : registration } } : {}),
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: lasts, DeviceCode: 600, Grant: 3600, Interaction: 3600, Session: 3600, IdToken: 3600, RefreshToken: 86_400 },
  }
}

/** Tokens for any address that is named. */
const resourcesWith = (scope: string): object => ({
  enabled: true,
  defaultResource: () => undefined,
  useGrantedResource: () => true,
  getResourceServerInfo: (_context: unknown, audience: string) => ({ scope, audience, accessTokenFormat: 'opaque' }),
})

/** It warns of what is right for tests. */
function mute(): () => void {
  const { info, warn } = console
  const pass = (say: typeof info) => (line: unknown) => {
    if (!String(line).startsWith('oidc-provider')) say(line)
  }
  Object.assign(console, { info: pass(info), warn: pass(warn) })
  return () => void Object.assign(console, { info, warn })
}

export interface Person {
  readonly name?: string
  /** What the browser keeps. */
  readonly cookies?: Map<string, string>
  readonly fetch?: typeof fetch
}

/** A browser of a person who agrees to everything; answers with the text of the last page and its address. */
export async function browse(
  address: string,
  { name = 'person', cookies = new Map(), fetch: askNow = fetch }: Person = {},
): Promise<{ readonly address: string; readonly text: string }> {
  const visit = async (url: string, form?: URLSearchParams): Promise<{ address: string; text: string }> => {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await askNow(url, { redirect: 'manual', headers, ...(form ? { method: 'POST', body: form } : {}) }).catch(
      () => undefined,
    )
    // Nothing listens where the code is to be pasted: a browser shows an error, and the address.
    if (!response) return { address: url, text: '' }
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const next = response.headers.get('location')
    if (next) return visit(new URL(next, url).href)
    return { address: url, text: await response.text() }
  }
  let page = await visit(address)
  for (let form = readForm(page, name); form; form = readForm(page, name)) page = await visit(form.address, form.fields)
  return page
}

function readForm({ address, text: page }: { readonly address: string; readonly text: string }, person: string) {
  const [, tag, inside = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(page) ?? []
  if (tag === undefined || !address.startsWith('http://127.0.0.1')) return undefined
  const action = /action="([^"]*)"/.exec(tag)?.[1] ?? address
  const inputs = [...inside.matchAll(/<input([^>]*)>/g), ...page.matchAll(/<input([^>]*form="op\.deviceConfirmForm"[^>]*)>/g)]
  const fields = new URLSearchParams()
  for (const [, attributes = ''] of inputs) {
    const name = /name="([^"]*)"/.exec(attributes)?.[1]
    if (name) fields.set(name, /value="([^"]*)"/.exec(attributes)?.[1] ?? person)
  }
  return { address: new URL(action, address).href, fields }
}
