import type { Clock } from '@agent/plugin-sdk'
import type { PoolStrategy } from './pool.ts'

export interface CredentialOptions {
  /** Where logins lie, the nearest first. */
  readonly files: readonly string[]
  /** Providers that somebody logged in to, or gave a key for. */
  readonly loggedIn: () => ReadonlySet<string>
  readonly clock: Clock
  /** Ends what is under way. */
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch | undefined
  /** Keeps a secret out of everything that is written down. */
  readonly keepSecret: (secret: string) => void
  readonly random: () => number
  /** Which of several keys of a provider is taken. */
  readonly strategyOf: (provider: string) => PoolStrategy
}
