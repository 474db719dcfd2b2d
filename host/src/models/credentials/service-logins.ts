import { isAgentError } from '@agent/plugin-sdk/errors'
import type { StoredLogin } from '#config/auth/auth-file.ts'
import { findLogin } from '#config/auth/auth-store.ts'
import type { CredentialOptions } from './credential-options.ts'
import type { LoginManifest } from './login-manifest.ts'
import { createLoginTokens, type TokenSource } from './login-tokens.ts'

/** A server that no manifest names, by its name in the settings. */
export interface ServiceWish {
  readonly server: string
  readonly url: string
  /** A token that the server does not take. */
  readonly refused?: string
}

export interface ServiceToken {
  readonly token?: string
  /** Why the login is worth nothing any more. */
  readonly ended?: string
}

/** What a login with an MCP server is kept under, beside those with providers. */
export const loginOfServer = (server: string): string => `mcp:${server}`

type Options = Pick<CredentialOptions, 'files' | 'clock' | 'signal' | 'fetch' | 'keepSecret' | 'random'>

/** Tokens of logins with MCP servers. Each goes to the address that its login was made with, and to no other. */
export function createServiceLogins(options: Options): (wish: ServiceWish) => Promise<ServiceToken> {
  const sources = new Map<string, { readonly made: string; readonly source: TokenSource }>()
  const sourceOf = (id: string, service: NonNullable<StoredLogin['service']>): TokenSource => {
    const made = JSON.stringify(service)
    const before = sources.get(id)
    if (before?.made === made) return before.source
    const { issuer, tokenUrl, resource } = service
    const manifest = { kind: 'pkce' as const, issuer, tokenUrl, scopes: [], renewSeconds: 120, parameters: {} } satisfies LoginManifest
    const source = createLoginTokens({
      ...options,
      ...{ provider: id, manifest, resource, owner: `${process.pid}:${options.random()}` },
    })
    sources.set(id, { made, source })
    return source
  }
  return async ({ server, url, refused }) => {
    const id = loginOfServer(server)
    const login = findLogin(options.files, id)?.login
    const service = login?.service
    if (!service) return {}
    if (service.url !== url) return { ended: `it was made with another address, ${new URL(service.url).origin}` }
    // A server that takes no token at all would use up renewals without end.
    if (refused !== undefined && login.ended === undefined && login.access === refused && isNew(login, options.clock.now()))
      return { token: refused }
    try {
      const { token } = await sourceOf(id, service).current(refused, options.signal)
      return { token }
    } catch (error) {
      if (isAgentError(error, 'LOGIN_NEEDED')) return {}
      if (!isAgentError(error, 'LOGIN_ENDED')) throw error
      return { ended: String(error.params.detail) }
    }
  }
}

const newMs = 60_000

const isNew = ({ renewedAt }: StoredLogin, now: number): boolean => renewedAt !== undefined && renewedAt <= now && now - renewedAt < newMs
