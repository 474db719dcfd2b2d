import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import type { AskJson } from './ask-json.ts'

export type ClientAuth = 'client_secret_post' | 'client_secret_basic'

/** Who gives logins for an MCP server, and how. */
export interface LoginService {
  /** What tokens are asked for. */
  readonly resource: string
  readonly issuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Where programs register themselves; absent: they cannot. */
  readonly registrationUrl?: string
  /** It takes an address that describes the client in place of an id. */
  readonly readsClients: boolean
  /** How clients may prove themselves; absent: it does not say. */
  readonly clientAuths?: readonly string[]
  readonly namesIssuer: boolean
  /** It says nothing of itself: its addresses are those of an older protocol. */
  readonly isGuessed?: boolean
  readonly scopes: readonly string[]
}

export interface ServiceQuestion {
  readonly name: string
  readonly url: string
  /** Of the settings: some servers do not answer without. */
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
}

const texts = z.array(z.string())
/** Kept with the login. */
const kept = z.string().check(z.maxLength(2000))
/** RFC 9728, as far as it is read. */
const aboutServer = z.object({
  resource: kept,
  authorization_servers: z.array(kept).check(z.minLength(1)),
  scopes_supported: z.optional(texts),
})
/** RFC 8414, as far as it is read. */
const aboutIssuer = z.object({
  issuer: kept,
  authorization_endpoint: kept,
  token_endpoint: kept,
  registration_endpoint: z.optional(kept),
  scopes_supported: z.optional(texts),
  code_challenge_methods_supported: z.optional(texts),
  token_endpoint_auth_methods_supported: z.optional(texts),
  client_id_metadata_document_supported: z.optional(z.boolean()),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
})

/** Asks a server who gives logins for it, and that one how. What contradicts itself is refused: it could be somebody else's. */
export async function findService(ask: AskJson, question: ServiceQuestion): Promise<LoginService> {
  const refuse = (detail: string): Error => fail('LOGIN_FAILED', { provider: question.name, detail })
  const wanted = await askServer(ask, question)
  const server = await firstOf(ask, wanted.at ? [wanted.at] : placesFor(question.url, 'oauth-protected-resource'), aboutServer)
  if (!server) {
    if (!wanted.refused) throw refuse('it asks for none, and says nowhere who gives some')
    if (wanted.at) throw refuse('it says nowhere who gives logins for it')
    return findOlder(ask, question, wanted.scopes)
  }
  if (!covers(server.resource, question.url))
    throw refuse(`it gives out logins for ${server.resource.slice(0, 200)}, which is another server than ${question.url}`)
  const [issuer = ''] = server.authorization_servers
  if (!URL.canParse(issuer)) throw refuse('it names no address of who gives logins for it')
  const found = await firstOf(ask, placesOfIssuer(issuer), aboutIssuer)
  if (!found) throw refuse(`${issuer} says nowhere how it gives logins`)
  return readService(found, { refuse, issuer, resource: server.resource, scopes: wanted.scopes ?? server.scopes_supported })
}

/** By the protocol of 2025-03-26 a server gives its logins itself: at its own origin, and at these addresses where it does not describe them. */
async function findOlder(ask: AskJson, { name, url }: ServiceQuestion, scopes: readonly string[] = []): Promise<LoginService> {
  const { origin } = new URL(url)
  const refuse = (detail: string): Error => fail('LOGIN_FAILED', { provider: name, detail })
  const found = await firstOf(ask, placesOfIssuer(origin), aboutIssuer)
  if (found) return readService(found, { refuse, issuer: origin, resource: url, scopes })
  return {
    ...{ resource: url, issuer: origin, scopes, readsClients: false, namesIssuer: false, isGuessed: true },
    ...{ authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token`, registrationUrl: `${origin}/register` },
  }
}

interface Reading {
  readonly refuse: (detail: string) => Error
  /** Where it was asked for. */
  readonly issuer: string
  readonly resource: string
  readonly scopes: readonly string[] | undefined
}

function readService(found: z.infer<typeof aboutIssuer>, { refuse, issuer, resource, scopes = [] }: Reading): LoginService {
  if (!isSame(found.issuer, issuer)) throw refuse(`${issuer} says that it is ${found.issuer.slice(0, 200)}`)
  if (found.code_challenge_methods_supported?.includes('S256') !== true)
    throw refuse(`${issuer} does not say that it takes PKCE with S256, without which a code could be stolen`)
  const lasting = scopes.length > 0 && found.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : []
  const { registration_endpoint: registrationUrl, token_endpoint_auth_methods_supported: clientAuths } = found
  return {
    ...{ resource, issuer: found.issuer, authorizationUrl: found.authorization_endpoint, tokenUrl: found.token_endpoint },
    ...(registrationUrl === undefined ? {} : { registrationUrl }),
    ...(clientAuths === undefined ? {} : { clientAuths }),
    readsClients: found.client_id_metadata_document_supported === true,
    namesIssuer: found.authorization_response_iss_parameter_supported === true,
    scopes: [...new Set([...scopes, ...lasting])],
  }
}

/** A service could name the page of another and its own token endpoint, and be sent codes of the other. An answer that says who gave it prevents this. */
export function requireOneOrigin(name: string, { issuer, authorizationUrl, tokenUrl, registrationUrl, namesIssuer }: LoginService): void {
  if (namesIssuer) return
  const origins = [tokenUrl, authorizationUrl, registrationUrl ?? tokenUrl].map((one) => (URL.canParse(one) ? new URL(one).origin : one))
  if (new Set(origins).size === 1) return
  const hosts = `${[...new Set(origins)].join(', ').slice(0, 300)}`
  const detail = `${issuer} names different hosts for one login (${hosts}), and does not say in its answers who gave them`
  throw fail('LOGIN_FAILED', { provider: name, detail })
}

interface Wanted {
  readonly refused: boolean
  /** Where the server describes itself. */
  readonly at: string | undefined
  readonly scopes: readonly string[] | undefined
}

/** A request without a token: the refusal says what is missing. Some servers begin with anybody, and refuse what comes after. */
async function askServer(ask: AskJson, { url, headers, version }: ServiceQuestion): Promise<Wanted> {
  const clientInfo = { name: 'agent', version }
  const first = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } }
  for (const request of [first, { method: 'tools/list', params: {} }]) {
    const { status, headers: head } = await ask(url, { body: { jsonrpc: '2.0', id: 1, ...request }, headers, headOnly: true })
    const said = head.get('www-authenticate') ?? ''
    const word = (key: string): string | undefined => new RegExp(`\\b${key}="([^"]*)"`, 'i').exec(said)?.[1]
    if (status === 401) return { refused: true, at: word('resource_metadata'), scopes: word('scope')?.split(' ').filter(Boolean) }
  }
  return { refused: false, at: undefined, scopes: undefined }
}

/** The description at the first place that has one. */
async function firstOf<T>(ask: AskJson, places: readonly string[], schema: z.ZodMiniType<T>): Promise<T | undefined> {
  for (const place of places) {
    const { status, body } = await ask(place)
    const parsed = status === 200 ? z.safeParse(schema, body) : undefined
    if (parsed?.success) return parsed.data
  }
  return undefined
}

/** The name goes before the path of an address; without the path it stands for the whole host. */
function placesFor(address: string, word: string): readonly string[] {
  const { origin, pathname } = new URL(address)
  const path = pathname.replace(/\/$/, '')
  return [...new Set([`${origin}/.well-known/${word}${path}`, `${origin}/.well-known/${word}`])]
}

function placesOfIssuer(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const names = ['oauth-authorization-server', 'openid-configuration']
  return [...new Set([...names.map((name) => `${origin}/.well-known/${name}${path}`), `${origin}${path}/.well-known/openid-configuration`])]
}

export const isSame = (one: string, other: string): boolean => URL.canParse(one) && new URL(one).href === new URL(other).href

/** The address itself, or one that it lies below. */
function covers(resource: string, url: string): boolean {
  if (!URL.canParse(resource)) return false
  const [given, own] = [new URL(resource), new URL(url)]
  const base = given.pathname.endsWith('/') ? given.pathname : `${given.pathname}/`
  return given.origin === own.origin && `${own.pathname}/`.startsWith(base)
}
