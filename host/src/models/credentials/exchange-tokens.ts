import { type Clock, type ProviderManifest, withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { reasonOf } from '../request/refusal.ts'
import type { LoginToken, TokenSource } from './login-tokens.ts'
import { readPointer, readTime } from './pointer.ts'

interface ExchangeOptions {
  readonly provider: string
  readonly manifest: NonNullable<ProviderManifest['exchange']>
  readonly headers: Readonly<Record<string, string>>
  readonly source: TokenSource
  readonly clock: Clock
  readonly fetch?: typeof fetch | undefined
  readonly keepSecret: (secret: string) => void
}

interface Exchanged {
  readonly from: string
  readonly token: string
  readonly renewAt: number
}

const askMs = 30_000
const skewMs = 120_000

/** Turns the token of a login, or a key, into the one that requests carry, and keeps that for as long as it lasts. */
export function createExchangedTokens(options: ExchangeOptions): TokenSource {
  const { source, clock, keepSecret } = options
  let kept: Exchanged | undefined
  return {
    async current(refused, signal): Promise<LoginToken> {
      const from = await source.current(undefined, signal)
      if (kept && kept.from === from.token && kept.token !== refused && clock.now() < kept.renewAt) return { token: kept.token }
      const made = await exchange(options, from.token, signal)
      keepSecret(made.token)
      kept = made
      return { token: made.token }
    },
  }
}

async function exchange(
  { provider, manifest, headers, clock, fetch: fetchNow = fetch }: ExchangeOptions,
  from: string,
  signal: AbortSignal,
) {
  const { url, scheme, tokenAt, expiresAt } = manifest
  const { host } = new URL(url)
  return withTimeLimit({ clock, signal, ms: askMs, what: `${host}` }, async (limited): Promise<Exchanged> => {
    const carried = { ...headers, accept: 'application/json', authorization: `${scheme} ${from}` }
    const response = await fetchNow(url, { headers: carried, redirect: 'manual', signal: limited }).catch((error: unknown) => {
      limited.throwIfAborted()
      throw fail('MODEL_DISCONNECTED', { provider, detail: reasonOf(error) })
    })
    const answer: unknown = await response.json().catch((error: unknown) => (isAgentError(error) ? Promise.reject(error) : undefined))
    const { status } = response
    if (status === 429) throw fail('MODEL_RATE_LIMIT', { provider, detail: `${host} takes no more requests for tokens now` })
    if (status >= 500) throw fail('MODEL_SERVER_ERROR', { provider, detail: `${host} answered with HTTP ${status}` })
    const token = readPointer(answer, tokenAt)
    if (!response.ok || typeof token !== 'string') throw fail('LOGIN_ENDED', { provider, detail: `${host} gave no token (HTTP ${status})` })
    const until = expiresAt === undefined ? undefined : readTime(readPointer(answer, expiresAt))
    // Its end is told by that server's clock, which may differ from ours.
    const theirs = Date.parse(response.headers.get('date') ?? '')
    const lastsMs = until === undefined ? 600_000 : until - (Number.isNaN(theirs) ? clock.now() : theirs)
    return { from, token, renewAt: clock.now() + Math.max(lastsMs - skewMs, lastsMs / 2) }
  })
}
