import { fail } from '@agent/plugin-sdk/errors'
import type { Credential } from '../request/credential.ts'
import type { TokenSource } from './login-tokens.ts'

interface TokenCredentialOptions {
  readonly provider: string
  /** The only host that the token is shown to. */
  readonly baseUrl: string
  readonly tokens: TokenSource
}

/** Proves who asks by the token of a login. A token that was refused is renewed once. */
export function createTokenCredential({ provider, baseUrl, tokens }: TokenCredentialOptions): Credential {
  const { origin, host } = new URL(baseUrl)
  let lastRenewed: string | undefined
  return {
    async authorize({ url }, signal) {
      if (url.origin !== origin) {
        const problem = `The login of ${provider} is for ${host} alone, and ${url.host} is set as its address.`
        throw fail('USAGE', { problem, try: `the same without that address, or a key for it` })
      }
      const { token, headers } = await tokens.current(undefined, signal)
      // The messages of Anthropic take a token only with this beside it.
      const beta = token.startsWith('sk-ant-oat') ? { 'anthropic-beta': 'oauth-2025-04-20' } : {}
      return { ...beta, ...headers, authorization: `Bearer ${token}` }
    },
    async refused({ status, proof }, signal) {
      const token = proof.authorization?.replace('Bearer ', '')
      // A new token that is refused as well is not what is wrong.
      if (status !== 401 || token === undefined || token === lastRenewed) return false
      const next = await tokens.current(token, signal)
      lastRenewed = next.token
      return next.token !== token
    },
  }
}
