import { fail } from '@agent/plugin-sdk/errors'
import type { OAuthClient } from '@agent/plugin-sdk/oauth'
import type { EnvironmentVariables } from '../request/endpoint.ts'
import { hasCliFile } from './cli-tokens.ts'
import type { LoginManifest } from './login-manifest.ts'

interface Place {
  readonly environment: EnvironmentVariables
  /** Named in the error where a variable is missing. */
  readonly environmentFile: string
}

/** The login of another program stands in where nobody gave a client id. */
export function chooseLogin(login: LoginManifest | undefined, environment: EnvironmentVariables): LoginManifest | undefined {
  if (login?.kind !== 'pkce' || !login.orElse || givenId(login, environment)) return login
  return hasCliFile(login.orElse) ? login.orElse : login
}

/** Who asks a service for a login: the id of a client, and its secret where it has one. */
export function findClient(
  provider: string,
  login: Exclude<LoginManifest, { kind: 'cli' }>,
  { environment, environmentFile }: Place,
): Pick<OAuthClient, 'clientId' | 'clientSecret'> {
  const clientId = givenId(login, environment)
  const { clientIdEnv, clientSecretEnv } = login
  const clientSecret = clientSecretEnv === undefined ? undefined : environment.get(clientSecretEnv)
  if (clientId !== undefined) return { clientId, ...(clientSecret ? { clientSecret } : {}) }
  if (login.kind === 'pkce' && login.mintUrl !== undefined) return { clientId: '' }
  const secret = clientSecretEnv === undefined ? '' : `, and its secret into ${clientSecretEnv}`
  const other = login.kind === 'pkce' && login.orElse ? `, or log in with ${login.orElse.program}` : ''
  const place = `${clientIdEnv ?? 'clientId'}=… in ${environmentFile}${secret}${other}`
  throw fail('LOGIN_FAILED', {
    provider,
    detail: `it asks for a client id, and agent has none there; put one that you may use into ${place}`,
  })
}

/** A variable holds before the manifest. */
function givenId(
  { clientId, clientIdEnv }: Exclude<LoginManifest, { kind: 'cli' }>,
  environment: EnvironmentVariables,
): string | undefined {
  return (clientIdEnv === undefined ? undefined : environment.get(clientIdEnv)) || clientId
}
