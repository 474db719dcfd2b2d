import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import type { AuthorizationServer } from 'oauth4webapi'

type RequestOptions = { readonly signal: AbortSignal }

/** An identity provider, as its own page of endpoints describes it, and the library that speaks with it. */
export interface Discovered {
  readonly oauth: typeof import('oauth4webapi')
  readonly server: AuthorizationServer
  /** Runs one exchange with the provider within its time; rejects with TIMED_OUT, naming `what`. */
  readonly ask: <T>(what: string, run: (options: RequestOptions) => Promise<T>) => Promise<T>
}

const requestMs = 15_000

/** Loads the library and looks up the endpoints. Rejects where the provider does not answer, or answers for another one. */
export async function discover(issuer: URL, clock: Clock, signal?: AbortSignal): Promise<Discovered> {
  const oauth = await import('oauth4webapi')
  const insecure = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
  const ask: Discovered['ask'] = (what, run) =>
    withTimeLimit({ clock, signal, ms: requestMs, what: `${what} of ${issuer.host}` }, (limit) => run({ signal: limit, ...insecure }))
  const server = await ask('Looking up the endpoints', async (options) =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options)),
  )
  return { oauth, server, ask }
}

/** How a client with a secret proves itself there; a provider that does not say takes it in the header. */
export function secretWay({ token_endpoint_auth_methods_supported: ways }: AuthorizationServer): string {
  return ways === undefined || ways.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post'
}
