import type { Clock } from '@agent/plugin-sdk'
import type { Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi'
import { type Discovered, discover, secretWay } from './discover.ts'
import type { Claims } from './is-allowed.ts'
import type { OidcSettings } from './read-oidc.ts'

/** What a login keeps in the browser while the person is away at the provider. */
export interface Journey {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Where the provider sends the browser back to. */
  readonly redirect: string
  /** What of the page's address follows its place: query and fragment. */
  readonly to: string
}

export interface Oidc {
  /** How people know the provider. */
  readonly name: string
  begin(redirect: string, to: string): Promise<{ readonly address: string; readonly journey: Journey }>
  /** What the provider says of the person; rejects where the answer is not the one to this journey. */
  complete(journey: Journey, came: URLSearchParams): Promise<Claims>
  /** Where a person ends the login at the provider, and from where the browser comes back; undefined where it has no such page. */
  findEnd(back: string): Promise<string | undefined>
}

interface Ground extends Discovered {
  readonly client: Client
  readonly proof: ClientAuth
}

/** Logs people in by an OpenID provider: authorization code with PKCE, state and nonce. The library is loaded by the first login. */
export function createOidc(settings: OidcSettings, clock: Clock): Oidc {
  let known: Promise<Ground> | undefined
  const ground = (): Promise<Ground> => {
    // A provider that did not answer is asked again by the next login.
    known ??= connect(settings, clock).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  return {
    name: settings.issuer.host,
    begin: async (redirect, to) => begin(await ground(), settings, { redirect, to }),
    complete: async (journey, came) => complete(await ground(), journey, came),
    async findEnd(back) {
      const { end_session_endpoint: end } = (await ground()).server
      if (end === undefined) return undefined
      const address = new URL(end)
      address.searchParams.set('client_id', settings.clientId)
      address.searchParams.set('post_logout_redirect_uri', back)
      return address.href
    },
  }
}

async function connect({ issuer, clientId, clientSecret }: OidcSettings, clock: Clock): Promise<Ground> {
  const found = await discover(issuer, clock)
  const { oauth, server } = found
  const prove = secretWay(server) === 'client_secret_post' ? oauth.ClientSecretPost : oauth.ClientSecretBasic
  return { ...found, client: { client_id: clientId }, proof: clientSecret === undefined ? oauth.None() : prove(clientSecret) }
}

async function begin(
  { oauth, server, client }: Ground,
  { scopes }: OidcSettings,
  { redirect, to }: Pick<Journey, 'redirect' | 'to'>,
): Promise<{ readonly address: string; readonly journey: Journey }> {
  if (server.authorization_endpoint === undefined) throw new Error('The provider names no page to log in at.')
  const verifier = oauth.generateRandomCodeVerifier()
  const journey = { state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce(), verifier, redirect, to }
  const address = new URL(server.authorization_endpoint)
  const asked = {
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirect, scope: scopes },
    ...{ state: journey.state, nonce: journey.nonce },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  }
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
  return { address: address.href, journey }
}

async function complete({ oauth, server, client, proof, ask }: Ground, journey: Journey, came: URLSearchParams): Promise<Claims> {
  const { state, nonce, verifier, redirect } = journey
  const checked = oauth.validateAuthResponse(server, client, came, state)
  const { tokens, response } = await ask('The login', async (options) => {
    const response = await oauth.authorizationCodeGrantRequest(server, client, proof, checked, redirect, verifier, options)
    const expected = { expectedNonce: nonce, requireIdToken: true }
    return { response, tokens: await oauth.processAuthorizationCodeResponse(server, client, response, expected) }
  })
  await ask('The keys', (options) => oauth.validateApplicationLevelSignature(server, response, options))
  return readClaims({ oauth, server, client, ask }, tokens)
}

/** Many providers tell addresses and groups only to who asks for them with the token. */
async function readClaims({ oauth, server, client, ask }: Omit<Ground, 'proof'>, tokens: TokenEndpointResponse): Promise<Claims> {
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (claims === undefined) throw new Error('The provider sent no ID token.')
  if (server.userinfo_endpoint === undefined) return { ...claims }
  const more = await ask('What is known of a person', async (options) => {
    const response = await oauth.userInfoRequest(server, client, tokens.access_token, options)
    return oauth.processUserInfoResponse(server, client, claims.sub, response)
  })
  return { ...more, ...claims }
}
