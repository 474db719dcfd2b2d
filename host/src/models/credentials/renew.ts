import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { OAuthClient, OAuthRun, OAuthTokens } from '@agent/plugin-sdk/oauth'
import { changeAuthFile, readAuthFile, type StoredLogin } from '#config/auth/auth-file.ts'
import { replaceLogin } from '#config/auth/auth-store.ts'

/** A login that can be renewed, and where it lies. */
export interface Renewable {
  readonly provider: string
  readonly file: string
  readonly client: OAuthClient
  readonly renewMs: number
}

export interface RenewDeps {
  readonly clock: Clock
  /** Ends what is under way. */
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch | undefined
  /** Names this process and no other. */
  readonly owner: string
  readonly random: () => number
}

/** Shorter than the lease: who asked late must not come after somebody who took over. */
const askMs = 10_000
const leaseMs = 12_000
const waitMs = 60_000

/** The times that a token is good for and renewed at; half its life at least passes before that. */
export function timesOf({ lastsMs }: OAuthTokens, now: number, renewMs: number): Pick<StoredLogin, 'expiresAt' | 'renewAt'> {
  if (lastsMs === undefined) return {}
  return { expiresAt: now + lastsMs, renewAt: now + Math.max(lastsMs - renewMs, Math.floor(lastsMs / 2)) }
}

/** Renews a login once for all who need it, in this process and in others: one holds a lease, the others look until it has written. */
export function renewLogin(of: Renewable, seen: StoredLogin, deps: RenewDeps): Promise<StoredLogin> {
  const { clock, signal, random } = deps
  return withTimeLimit({ clock, signal, ms: waitMs, what: `Renewing the login of ${of.provider}` }, async (limited) => {
    for (;;) {
      const turn = takeTurn(of, seen, deps)
      if (turn.type === 'renewed') return turn.login
      if (turn.type === 'mine') return await renewNow(of, turn.login, { ...deps, signal: limited })
      await clock.sleep(20 + Math.floor(random() * 40), limited)
    }
  })
}

type Turn = { readonly type: 'renewed' | 'mine'; readonly login: StoredLogin } | { readonly type: 'wait' }

function takeTurn({ provider, file }: Renewable, seen: StoredLogin, { clock, owner }: RenewDeps): Turn {
  const look = (login: StoredLogin | undefined): Turn | undefined => {
    if (!login) throw fail('LOGIN_NEEDED', { provider })
    if (login.generation !== seen.generation) return { type: 'renewed', login }
    return isHeld(login, clock.now()) ? { type: 'wait' } : undefined
  }
  // To wait takes no lock.
  const found = look(readAuthFile(file).logins[provider])
  if (found) return found
  return changeAuthFile<Turn>(file, (data) => {
    const login = data.logins[provider]
    const other = look(login)
    if (other || !login) return { result: other ?? { type: 'wait' } }
    const leased = { ...login, lease: { owner, until: clock.now() + leaseMs } }
    return { data: { ...data, logins: { ...data.logins, [provider]: leased } }, result: { type: 'mine', login: leased } }
  })
}

/** A lease that ends later than any can was written before the clock was set back. */
function isHeld({ lease }: StoredLogin, now: number): boolean {
  return lease !== undefined && lease.until > now && lease.until - now <= leaseMs
}

async function renewNow(of: Renewable, login: StoredLogin, { clock, signal, fetch }: RenewDeps): Promise<StoredLogin> {
  const { provider, file, client, renewMs } = of
  const { lease: _, ended: __, ...free } = login
  const run: OAuthRun = { clock, signal, ...(fetch ? { fetch } : {}) }
  try {
    const { refresh } = await import('@agent/plugin-sdk/oauth')
    const tokens = await withTimeLimit({ clock, signal, ms: askMs, what: `Renewing the login of ${provider}` }, (limited) =>
      refresh(client, login.refresh ?? '', { ...run, signal: limited }),
    )
    const { expiresAt: _e, renewAt: _r, ...rest } = free
    const now = clock.now()
    const next = { ...rest, access: tokens.access, refresh: tokens.refresh, renewedAt: now, ...timesOf(tokens, now, renewMs) }
    return replaceLogin(file, provider, login, { ...next, generation: login.generation + 1 })
  } catch (error) {
    const isOver = isAgentError(error, 'LOGIN_ENDED')
    // Nothing is thrown away: what failed today may have been the server's mistake.
    const left = replaceLogin(
      file,
      provider,
      login,
      isOver ? { ...free, ended: String(error.params.detail ?? detailOf(error)).slice(0, 300) } : free,
    )
    if (left.generation !== login.generation) return left
    throw error
  }
}
