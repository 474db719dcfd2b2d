import type { Credential } from '../request/credential.ts'
import type { ProviderContribution } from '../request/endpoint.ts'
import type { CredentialOptions } from './credential-options.ts'

/** What proves who asks a provider; undefined where its one key does, or nothing. */
export type FindCredential = (contribution: ProviderContribution, key: string | undefined) => Promise<Credential | undefined>

/** A provider with nothing but a key loads none of this. */
export function openCredentials(options: CredentialOptions): FindCredential {
  return async (contribution, key) => {
    const { id, spec } = contribution
    const hasMore = spec.auth !== 'none' && options.loggedIn().has(id)
    const mayLogIn = spec.login !== undefined && key === undefined && (spec.auth === 'login' || hasMore)
    if (!mayLogIn && !hasMore && !(spec.exchange && key !== undefined)) return undefined
    const { createCredential } = await import('./create-credential.ts')
    return createCredential(contribution, key, options)
  }
}
