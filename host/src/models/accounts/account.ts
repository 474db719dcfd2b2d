import type { Clock } from '@agent/plugin-sdk'
import type { Credential } from '../request/credential.ts'
import type { EnvironmentVariables } from '../request/endpoint.ts'

/** An account that people have for other things than models too: its files and variables prove who asks. */
export interface Account {
  /** What its files say where a variable does not. */
  readonly variables: Readonly<Record<string, string>>
  readonly credential: Credential
}

export interface AccountDeps {
  /** The provider that it is opened for. */
  readonly provider: string
  readonly environment: EnvironmentVariables
  /** Its files are below it. */
  readonly userFolder: string
  readonly clock: Clock
}

export type OpenAccount = (deps: AccountDeps) => Promise<Account>
