import type { Clock } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AuthorizationServer, Client } from 'oauth4webapi'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { printable } from '#observe/printable.ts'
import { type Discovered, discover, secretWay } from './discover.ts'
import { parseSafe } from './read-oidc.ts'

/** What a dashboard asks an identity provider for. */
export interface RegistrationWish {
  readonly issuer: URL
  /** How people see it at the provider. */
  readonly name: string
  /** Where the provider sends browsers back to after a login. */
  readonly redirect: URL
  /** Where it sends them after a logout. */
  readonly start: URL
  /** The initial access token, where the provider lets only those register who have one. */
  readonly token?: string
}

export interface Registration {
  readonly clientId: string
  /** Absent for a public client. */
  readonly clientSecret?: string
  /** When the secret ends, in milliseconds since 1970; absent: never. */
  readonly secretEndsAt?: number
}

export interface RegistrationGround {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Registers a client by RFC 7591, once: nothing is sent again. Rejects with DASHBOARD_REGISTER_FAILED, with what to do instead. */
export async function registerClient(wish: RegistrationWish, { clock, signal }: RegistrationGround): Promise<Registration> {
  const refuse = refuser(wish)
  const found = await discover(wish.issuer, clock, signal).catch((error: unknown) => {
    throw explain(wish, error, 'Look at the address of the issuer, which ends before /.well-known, then do it again.')
  })
  const { registration_endpoint: endpoint } = found.server
  if (endpoint === undefined)
    throw refuse(
      'it does not let programs register themselves',
      `Register the dashboard on its pages, with the redirect address ${wish.redirect.href}, and set AGENT_DASHBOARD_OIDC_CLIENT_ID.`,
    )
  if (!parseSafe(endpoint))
    throw refuse(`it takes registrations at ${shown(endpoint, wish)}, which is not encrypted`, 'Set the provider up with https.')
  const answer = await send(found, wish).catch((error: unknown) => {
    const isClosed = wish.token === undefined && [401, 403].includes(statusOf(error) ?? 0)
    throw explain(
      wish,
      error,
      isClosed ? 'It may want an initial access token: --token-file FILE.' : 'The log of the provider may say more.',
    )
  })
  return readRegistration(wish, answer, methodOf(found.server))
}

function send({ oauth, server, ask }: Discovered, { name, redirect, start, token }: RegistrationWish): Promise<Client> {
  // No scopes are named: a provider then gives its usual scopes, and some refuse a client that names openid.
  const metadata = {
    ...{ client_name: name, redirect_uris: [redirect.href], post_logout_redirect_uris: [start.href] },
    ...{ response_types: ['code'], grant_types: ['authorization_code'] },
    // Providers take an address of this machine from installed programs alone.
    application_type: isLoopback(redirect.hostname) ? 'native' : 'web',
    token_endpoint_auth_method: methodOf(server),
  }
  return ask('Registering the dashboard', async (options) => {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, {
      ...options,
      ...(token === undefined ? {} : { initialAccessToken: token }),
    })
    return oauth.processDynamicClientRegistrationResponse(response)
  })
}

/** As the login will prove who asks; a provider that knows no secrets gives none. */
function methodOf(server: AuthorizationServer): string {
  const way = secretWay(server)
  return server.token_endpoint_auth_methods_supported?.includes(way) === false ? 'none' : way
}

function readRegistration(wish: RegistrationWish, answer: Client, asked: string): Registration {
  const refuse = refuser(wish)
  const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: end, redirect_uris: redirects } = answer
  if (!isWord(clientId) || (clientSecret !== undefined && !isWord(clientSecret)))
    throw refuse('its answer holds no client id that can be kept', 'The log of the provider may say more.')
  const method = answer.token_endpoint_auth_method ?? asked
  const isUsable = clientSecret === undefined ? method === 'none' : method === asked || method === 'none'
  if (!isUsable)
    throw refuse(
      `it made the client ${shown(clientId, wish)}, which would have to prove itself by ${shown(String(method), wish)}`,
      `Let the provider give clients ${asked}, remove that one, then do it again.`,
    )
  if (Array.isArray(redirects) && !redirects.includes(wish.redirect.href))
    throw refuse(
      `it made the client ${shown(clientId, wish)} without the redirect address ${wish.redirect.href}`,
      'Let the provider allow that address, remove the client, then do it again.',
    )
  return {
    clientId,
    ...(clientSecret === undefined || method === 'none' ? {} : { clientSecret }),
    ...(clientSecret !== undefined && typeof end === 'number' && end > 0 ? { secretEndsAt: end * 1000 } : {}),
  }
}

/** One line of `.env`, and of a header. */
const isWord = (text: unknown): text is string => typeof text === 'string' && /^[\x20-\x7e]{1,2000}$/.test(text)

function refuser({ issuer }: RegistrationWish): (problem: string, next: string) => Error {
  return (problem, next) => fail('DASHBOARD_REGISTER_FAILED', { issuer: issuer.host, problem, next })
}

/** What the library says of a failure, in the words of the person: the provider's own where it gave some. */
function explain(wish: RegistrationWish, error: unknown, next: string): Error {
  if (isAgentError(error)) return error.code === 'TIMED_OUT' ? refuser(wish)('it did not answer in time', next) : error
  const said = saidBy(error)
  if (said !== undefined) return refuser(wish)(`it refused with ${shown(said, wish)}`, next)
  if (error instanceof TypeError && error.cause !== undefined) return refuser(wish)(`it cannot be reached (${reasonOf(error)})`, next)
  const status = statusOf(error)
  return refuser(wish)(status === undefined ? shown(detailOf(error), wish) : `its answer of status ${status} is none to that`, next)
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: unknown }
  if (typeof status === 'number') return status
  return cause instanceof Response ? cause.status : undefined
}

/** The code and the sentence of a refusal by RFC 7591 or RFC 6750. */
function saidBy(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const {
    error: code,
    error_description: text,
    cause,
  } = error as {
    readonly error?: unknown
    readonly error_description?: unknown
    readonly cause?: unknown
  }
  if (typeof code === 'string') return [code, ...(typeof text === 'string' ? [text] : [])].join(': ')
  if (!Array.isArray(cause)) return undefined
  const { scheme = '', parameters = {} } = (cause[0] ?? {}) as {
    readonly scheme?: string
    readonly parameters?: Readonly<Record<string, string>>
  }
  return [
    `status ${statusOf(error)}`,
    parameters.error ?? scheme,
    ...(parameters.error_description ? [parameters.error_description] : []),
  ].join(', ')
}

function reasonOf(error: Error): string {
  const { cause } = error
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  return code ?? detailOf(cause ?? error)
}

const mostShown = 300

/** Strangers' words on one line, without the token, should they say it back. */
function shown(text: string, { token }: RegistrationWish): string {
  const hidden = token === undefined ? text : text.replaceAll(token, '[secret]')
  return printable(hidden).slice(0, mostShown).replace(/\.$/, '')
}
