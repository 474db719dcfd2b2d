import { fail } from '../contract/errors.ts'
import { type Connected, type OAuthClient, type OAuthTokens, requireShort } from './client.ts'

/** The page of a vendor that knows no clients: it is told where to come back to, and the challenge. */
export function mintAddress({ authorizationUrl = '' }: OAuthClient, redirect: string, challenge: string): string {
  const address = new URL(authorizationUrl)
  address.searchParams.set('callback_url', redirect)
  address.searchParams.set('code_challenge', challenge)
  address.searchParams.set('code_challenge_method', 'S256')
  return address.href
}

interface Minting {
  readonly url: string
  readonly code: string | null
  readonly verifier: string
}

/** Turns the code into a key that lasts until it is withdrawn. */
export function mintKey(
  { fetch: fetchNow, ask }: Connected,
  { name }: OAuthClient,
  { url, code, verifier }: Minting,
): Promise<OAuthTokens> {
  return ask('The login', async ({ signal }) => {
    const body = JSON.stringify({ code, code_verifier: verifier, code_challenge_method: 'S256' })
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetchNow(url, { method: 'POST', headers, body, signal })
    const answer: unknown = await response.json().catch(() => undefined)
    const key = typeof answer === 'object' && answer !== null && 'key' in answer ? answer.key : undefined
    if (!response.ok || typeof key !== 'string' || key === '')
      throw fail('LOGIN_FAILED', { provider: name, detail: `${new URL(url).host} gave no key (HTTP ${response.status})` })
    return { access: requireShort(key) }
  })
}
