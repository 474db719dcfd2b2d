import { fail } from '../contract/errors.ts'
import { linkSignals } from '../contract/time-limit.ts'
import { type Connected, connect, moreOf, type OAuthClient, type OAuthRun, type OAuthTokens, readTokens } from './client.ts'
import { type Loopback, openLoopback } from './loopback.ts'
import { mintAddress, mintKey } from './mint.ts'
import { readPasted } from './read-pasted.ts'

interface PkceRun extends OAuthRun {
  /** A person opens the address in a browser. */
  show(address: string): void
  /** Where the browser is sent afterwards: a port of this machine (0: any free one), which takes the code by itself. */
  readonly loopback?: { readonly host?: '127.0.0.1' | 'localhost'; readonly port?: number; readonly path: string }
  /** Where it is sent instead: a page that shows the code. */
  readonly redirectUrl?: string
  /** Asks for the code, or for the address that the browser ended at. Its signal fires when it is needed no longer. */
  paste?(signal: AbortSignal): Promise<string>
  /** An address that makes a lasting key of the code, in place of tokens. */
  readonly mintUrl?: string
  /** Stands in the address beside what every service is told. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Logs in by a page of the vendor (RFC 7636): the code comes by a port of this machine or is pasted, whatever is sooner. */
export async function pkce(client: OAuthClient, run: PkceRun): Promise<OAuthTokens> {
  const connected = await connect(client, run)
  const { oauth } = connected
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  await using loopback =
    run.loopback && (await openLoopback({ ...run.loopback, name: client.name, state, strict: run.mintUrl === undefined }))
  const redirect = loopback?.address ?? run.redirectUrl
  if (redirect === undefined) throw fail('LOGIN_FAILED', { provider: client.name, detail: 'there is no address to come back to' })
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  run.show(
    run.mintUrl
      ? mintAddress(client, redirect, challenge)
      : addressOf(connected, client, { redirect, state, challenge, more: run.parameters }),
  )
  const came = await waitForCode(client, run, loopback)
  if (run.mintUrl) return mintKey(connected, client, { url: run.mintUrl, code: came.get('code'), verifier })
  return connected.ask('The login', async (options) => {
    const { server, client: own, proof } = connected
    // A code that was pasted alone has no state beside it; the verifier proves that it is ours.
    const checked = oauth.validateAuthResponse(withIssuer(connected, client), own, came, came.has('state') ? state : oauth.expectNoState)
    const response = await oauth.authorizationCodeGrantRequest(server, own, proof, checked, redirect, verifier, {
      ...options,
      ...moreOf(client),
    })
    return readTokens(await oauth.processAuthorizationCodeResponse(server, own, response))
  })
}

/** What the browser brought back says by itself which server it comes from, or does not: mostly both are right. */
function withIssuer({ server }: Connected, { namesIssuer = false }: OAuthClient): Connected['server'] {
  return { ...server, authorization_response_iss_parameter_supported: namesIssuer }
}

interface Begun {
  readonly redirect: string
  readonly state: string
  readonly challenge: string
  readonly more: PkceRun['parameters']
}

function addressOf(
  { server, client }: Connected,
  { scopes = [], name, resource }: OAuthClient,
  { redirect, state, challenge, more }: Begun,
): string {
  const endpoint = server.authorization_endpoint
  if (endpoint === undefined) throw fail('LOGIN_FAILED', { provider: name, detail: 'its server names no page to log in at' })
  const address = new URL(endpoint)
  const parameters = { response_type: 'code', client_id: client.client_id, redirect_uri: redirect, state }
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {}
  const target = resource === undefined ? {} : { resource }
  for (const [key, value] of Object.entries({ ...more, ...parameters, ...proof, ...scope, ...target })) address.searchParams.set(key, value)
  return address.href
}

async function waitForCode(client: OAuthClient, run: PkceRun, loopback: Loopback | undefined): Promise<URLSearchParams> {
  // Nobody hears of a signal that fired while the address was shown.
  run.signal.throwIfAborted()
  using link = linkSignals(run.signal)
  const ways = [
    ...(loopback?.listens ? [loopback.wait(link.signal)] : []),
    ...(run.paste ? [run.paste(link.signal).then((text) => readPasted(client.name, text))] : []),
  ]
  if (ways.length === 0)
    throw fail('LOGIN_FAILED', { provider: client.name, detail: `nothing can take the code: ${loopback?.problem ?? ''}` })
  try {
    return await Promise.race(ways)
  } finally {
    for (const way of ways) way.catch(() => undefined)
    link.abort(fail('INTERRUPTED'))
  }
}
