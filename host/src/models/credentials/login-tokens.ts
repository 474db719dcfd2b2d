import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { StoredLogin } from '#config/auth/auth-file.ts'
import { findLogin } from '#config/auth/auth-store.ts'
import type { LoginManifest } from './login-manifest.ts'
import { clientOf } from './login-manifest.ts'
import { type RenewDeps, renewLogin } from './renew.ts'

/** What requests carry, and the headers that belong to it. */
export interface LoginToken {
  readonly token: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Gives the token that holds now. One that was refused is named, and not given again. */
export interface TokenSource {
  current(refused: string | undefined, signal: AbortSignal): Promise<LoginToken>
}

interface LoginTokensOptions extends RenewDeps {
  readonly provider: string
  readonly files: readonly string[]
  readonly manifest: Exclude<LoginManifest, { kind: 'cli' }>
  readonly keepSecret: (secret: string) => void
  /** What tokens are asked for, where the server wants to be told. */
  readonly resource?: string
}

const waitMs = 60_000

/** The token of a login in the store, renewed in time or when it was refused. */
export function createLoginTokens(options: LoginTokensOptions): TokenSource {
  const { provider, files, manifest, clock, keepSecret, resource } = options
  let running: Promise<StoredLogin> | undefined

  const renew = (file: string, login: StoredLogin): Promise<StoredLogin> => {
    const { clientId = manifest.clientId ?? '', clientSecret, service } = login
    const { clientAuth } = service ?? {}
    const own = { clientId, ...(clientSecret === undefined ? {} : { clientSecret }), ...(clientAuth === undefined ? {} : { clientAuth }) }
    const client = { ...clientOf(provider, manifest, own), ...(resource === undefined ? {} : { resource }) }
    running ??= renewLogin({ provider, file, client, renewMs: manifest.renewSeconds * 1000 }, login, options).finally(() => {
      running = undefined
    })
    return running
  }
  return {
    async current(refused, signal) {
      const found = findLogin(files, provider)
      if (!found) throw fail('LOGIN_NEEDED', { provider })
      const { file, login } = found
      if (login.ended !== undefined) throw fail('LOGIN_ENDED', { provider, detail: login.ended })
      const state = judge(login, refused, clock.now())
      if (state === 'good') return give(login)
      const next = await renewInTime(file, login, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        // A server in trouble does not end a token that is good yet.
        if (state === 'late' && isAgentError(error) && (login.refresh === undefined || error.code !== 'LOGIN_ENDED')) return login
        throw error
      })
      return give(next)
    },
  }

  async function renewInTime(file: string, login: StoredLogin, signal: AbortSignal): Promise<StoredLogin> {
    if (login.refresh === undefined) throw fail('LOGIN_ENDED', { provider, detail: 'it has run out, and cannot be renewed' })
    // Who gives up leaves the others their renewal.
    return withTimeLimit({ clock, signal, ms: waitMs, what: `The login of ${provider}` }, () => renew(file, login))
  }

  function give({ access = '', refresh, clientSecret }: StoredLogin): LoginToken {
    keepSecret(access)
    for (const secret of [refresh, clientSecret]) if (secret) keepSecret(secret)
    return { token: access }
  }
}

/** Late: time to renew it, and still good if that fails. */
function judge({ access, renewAt, expiresAt }: StoredLogin, refused: string | undefined, now: number): 'good' | 'late' | 'over' {
  if (access === undefined || access === refused) return 'over'
  if (renewAt === undefined || now < renewAt) return 'good'
  return expiresAt === undefined || now < expiresAt ? 'late' : 'over'
}
