import { homedir } from 'node:os'
import type { Clock } from '@agent/plugin-sdk'
import type { Credential } from '../request/credential.ts'
import { type Endpoint, type EndpointSource, givenKey, openEndpoint, type ProviderContribution } from '../request/endpoint.ts'
import type { OpenAccount } from './account.ts'

const accounts: Readonly<Record<string, () => Promise<OpenAccount>>> = {
  aws: async () => (await import('./aws-account.ts')).openAwsAccount,
  google: async () => (await import('./google-account.ts')).openGoogleAccount,
}

interface Source extends EndpointSource {
  readonly clock: Clock
  readonly userFolder?: string
}

/** An endpoint with what proves who asks: a key where one is given, else the account that its manifest names. */
export async function openProvedEndpoint(contribution: ProviderContribution, source: Source, credential?: Credential): Promise<Endpoint> {
  const { id, spec } = contribution
  const load = accounts[spec.auth]
  if (!load || credential) return openEndpoint(contribution, source, credential)
  const { environment, clock, userFolder = homedir() } = source
  const open = await load()
  const account = await open({ provider: id, environment, userFolder, clock })
  const get = (name: string): string | undefined => environment.get(name) || account.variables[name]
  const filled = { ...source, environment: { get } }
  return openEndpoint(contribution, filled, givenKey(spec, filled) === undefined ? account.credential : undefined)
}
