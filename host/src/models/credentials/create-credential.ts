import { fail } from '@agent/plugin-sdk/errors'
import { readAuthFile } from '#config/auth/auth-file.ts'
import { findLogin } from '#config/auth/auth-store.ts'
import type { Credential } from '../request/credential.ts'
import type { ProviderContribution } from '../request/endpoint.ts'
import { createCliTokens } from './cli-tokens.ts'
import type { CredentialOptions } from './credential-options.ts'
import { createExchangedTokens } from './exchange-tokens.ts'
import type { LoginManifest } from './login-manifest.ts'
import { createLoginTokens, type TokenSource } from './login-tokens.ts'
import { createPool } from './pool.ts'
import { createTokenCredential } from './token-credential.ts'

/** The credential of a provider with a login, with several keys, or with a key that is exchanged; undefined where its one key is all. */
export function createCredential(
  { id, spec }: ProviderContribution,
  key: string | undefined,
  options: CredentialOptions,
): Credential | undefined {
  const { exchange, baseUrl = '', headers } = spec
  const hasKeys = options.files.some((file) => Object.hasOwn(readAuthFile(file).keys, id))
  if (hasKeys && !exchange) {
    return createPool({ ...options, provider: id, spec, own: key, strategy: () => options.strategyOf(id) })
  }
  if (key !== undefined && !exchange) return undefined
  if (spec.login === undefined && key === undefined) return undefined
  const own = key === undefined ? tokensOf(id, spec, options) : { current: async () => ({ token: key }) }
  const { clock, fetch, keepSecret } = options
  const tokens = exchange
    ? createExchangedTokens({ provider: id, manifest: exchange, headers, source: own, clock, fetch, keepSecret })
    : own
  return createTokenCredential({ provider: id, baseUrl, tokens })
}

function tokensOf(provider: string, { login }: ProviderContribution['spec'], options: CredentialOptions): TokenSource {
  if (login === undefined) throw fail('LOGIN_NEEDED', { provider })
  if (login.kind === 'cli') return cliTokensOf(provider, login, options)
  const own = createLoginTokens({ ...options, provider, manifest: login, owner: `${process.pid}:${options.random()}` })
  if (login.kind !== 'pkce' || !login.orElse) return own
  const other = cliTokensOf(provider, login.orElse, options)
  const isOther = (): boolean => findLogin(options.files, provider)?.login.kind === 'cli'
  return { current: (refused, signal) => (isOther() ? other : own).current(refused, signal) }
}

function cliTokensOf(
  provider: string,
  manifest: Extract<LoginManifest, { kind: 'cli' }>,
  { files, clock, keepSecret }: CredentialOptions,
): TokenSource {
  const tokens = createCliTokens({ provider, manifest, keepSecret, now: () => clock.now() })
  return {
    // Another program's login is read only where a person has said so.
    async current(refused, signal) {
      if (!findLogin(files, provider)) throw fail('LOGIN_NEEDED', { provider })
      return tokens.current(refused, signal)
    },
  }
}
