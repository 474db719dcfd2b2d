import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi'
import type { Clock } from '../contract/context.ts'
import { withTimeLimit } from '../contract/time-limit.ts'
import { type CarefulFetch, createCarefulFetch } from './careful-fetch.ts'
import { explain } from './explain.ts'

/** Who logs in where. */
export interface OAuthClient {
  /** What is logged in to, as people know it; errors name it. */
  readonly name: string
  readonly clientId: string
  /** Sent beside the id where the service gives its clients one. */
  readonly clientSecret?: string
  /** Where the secret is put (RFC 6749, 2.3.1); absent: `client_secret_post`. */
  readonly clientAuth?: 'client_secret_post' | 'client_secret_basic'
  readonly scopes?: readonly string[]
  /** Its endpoints are looked up there, unless they are given. */
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly deviceUrl?: string
  readonly tokenUrl?: string
  /** `user-code`: what is typed in is also what is asked with, PKCE proves who began, and answers come in other words (MiniMax). */
  readonly grant?: 'device-code' | 'user-code'
  /** What the tokens are for, said in each request for one (RFC 8707). */
  readonly resource?: string
  /** It says by itself which server a browser comes back from (RFC 9207), and has to. */
  readonly namesIssuer?: boolean
}

/** What a flow runs with. */
export interface OAuthRun {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch
}

/** What a login gives. */
export interface OAuthTokens {
  readonly access: string
  readonly refresh?: string
  /** How long the access token lasts from now on; absent where the server does not say. */
  readonly lastsMs?: number
}

type Library = typeof import('oauth4webapi')

/** A server and how it is asked. */
export interface Connected {
  readonly oauth: Library
  readonly server: AuthorizationServer
  readonly client: Client
  /** Proves which client asks. */
  readonly proof: ClientAuth
  readonly fetch: CarefulFetch
  /** One request and what is made of its answer, within its time; rejects with an error of the table. */
  ask<T>(what: string, run: (options: RequestOptions) => Promise<T>): Promise<T>
}

interface RequestOptions {
  readonly signal: AbortSignal
}

const requestMs = 30_000

/** The library is loaded by the first login. */
export async function connect(client: OAuthClient, { clock, signal, fetch: given = fetch }: OAuthRun): Promise<Connected> {
  const oauth = await import('oauth4webapi')
  const { name, clientId, issuer, authorizationUrl, deviceUrl, tokenUrl } = client
  const fetchNow = createCarefulFetch(name, given, client.grant === 'user-code' ? () => clock.now() : undefined)
  const ask = <T>(what: string, run: (options: RequestOptions) => Promise<T>): Promise<T> =>
    withTimeLimit({ clock, signal, ms: requestMs, what: `${what} of ${name}` }, async (limited) => {
      const options = {
        signal: limited,
        [oauth.customFetch]: fetchNow,
        [oauth.allowInsecureRequests]: areLocal(issuer, authorizationUrl, deviceUrl, tokenUrl),
      }
      try {
        return await run(options)
      } catch (error) {
        limited.throwIfAborted()
        throw explain(oauth, name, error)
      }
    })
  const found = tokenUrl || issuer === undefined ? { issuer: issuer ?? originOf(tokenUrl) } : await discover(oauth, new URL(issuer), ask)
  return {
    oauth,
    server: {
      ...found,
      ...(authorizationUrl ? { authorization_endpoint: authorizationUrl } : {}),
      ...(deviceUrl ? { device_authorization_endpoint: deviceUrl } : {}),
      ...(tokenUrl ? { token_endpoint: tokenUrl } : {}),
    },
    client: { client_id: clientId },
    proof: proofOf(oauth, client),
    fetch: fetchNow,
    ask,
  }
}

function proofOf(oauth: Library, { clientSecret, clientAuth }: OAuthClient): ClientAuth {
  if (!clientSecret) return oauth.None()
  if (clientAuth !== 'client_secret_basic') return oauth.ClientSecretPost(clientSecret)
  return (_server, { client_id: id }, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(`${asForm(id)}:${asForm(clientSecret)}`).toString('base64')}`)
}

/** As in a form (RFC 6749, 2.3.1). The library would write `-` as `%2D`, too, and many services do not read that back. */
const asForm = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length)

function discover(oauth: Library, issuer: URL, ask: Connected['ask']): Promise<AuthorizationServer> {
  return ask('Looking up the endpoints', async (options) =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options)),
  )
}

/** Without encryption only a server on this machine is asked. */
function areLocal(...addresses: readonly (string | undefined)[]): boolean {
  const hosts = addresses.flatMap((address) => (address && URL.canParse(address) ? [new URL(address).hostname] : []))
  return hosts.length > 0 && hosts.every((host) => host === '127.0.0.1' || host === 'localhost' || host === '[::1]')
}

function originOf(address: string | undefined): string {
  return address && URL.canParse(address) ? new URL(address).origin : 'https://unknown.invalid'
}

/** More than any server gives: what is kept of an answer must stay readable. */
const mostLetters = 16 * 1024
const mostSeconds = 10 * 365 * 86_400

/** Also of a key that is kept in place of tokens. */
export function requireShort(token: string): string {
  if (token.length > mostLetters) throw new Error('its token is longer than 16,384 letters')
  return token
}

export function readTokens({ access_token: access, refresh_token: refresh, expires_in: seconds }: TokenEndpointResponse): OAuthTokens {
  return {
    access: requireShort(access),
    ...(refresh ? { refresh: requireShort(refresh) } : {}),
    ...(seconds === undefined ? {} : { lastsMs: Math.floor(Math.min(seconds, mostSeconds) * 1000) }),
  }
}

/** What a request for tokens says beside what all of them say. */
export function moreOf({ resource }: OAuthClient): { readonly additionalParameters?: { readonly resource: string } } {
  return resource === undefined ? {} : { additionalParameters: { resource } }
}
