import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { OAuthTokens, ShownCode } from '@agent/plugin-sdk/oauth'
import { keepLogin } from '#config/auth/auth-store.ts'
import type { EnvironmentVariables, ProviderContribution } from '../request/endpoint.ts'
import { createCliTokens } from './cli-tokens.ts'
import { clientOf, type LoginManifest } from './login-manifest.ts'
import { timesOf } from './renew.ts'

/** What a person is shown and asked, wherever it is that they log in. */
export interface LoginTalk {
  showCode(code: ShownCode): void
  showAddress(address: string): void
  /** Asks for the code, or for the address that the browser ended at. */
  paste(signal: AbortSignal): Promise<string>
}

export interface LoginRun {
  /** The login is kept there. */
  readonly file: string
  readonly environment: EnvironmentVariables
  /** Named in the error where a variable is missing. */
  readonly environmentFile: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly talk: LoginTalk
}

/** Logs in to a provider as its manifest says, and keeps the login. */
export async function runLogin({ id, spec }: ProviderContribution, run: LoginRun): Promise<void> {
  const { login } = spec
  if (login === undefined) throw fail('UNSUPPORTED', { what: `a login; it needs ${spec.keyEnv[0] ?? 'no key'}`, by: id })
  const at = run.clock.now()
  if (login.kind === 'cli') {
    const tokens = createCliTokens({ provider: id, manifest: login, keepSecret: () => undefined, now: () => at })
    await tokens.current(undefined, run.signal)
    return keepLogin(run.file, id, { kind: 'cli', at })
  }
  const clientId = clientIdOf(id, login, run)
  const tokens = await takeTokens(id, login, clientId, run)
  const { access, refresh } = tokens
  const times = timesOf(tokens, run.clock.now(), login.renewSeconds * 1000)
  keepLogin(run.file, id, { kind: login.kind, at, clientId, access, ...(refresh === undefined ? {} : { refresh }), ...times })
}

async function takeTokens(
  provider: string,
  login: Exclude<LoginManifest, { kind: 'cli' }>,
  clientId: string,
  run: LoginRun,
): Promise<OAuthTokens> {
  const { deviceCode, pkce } = await import('@agent/plugin-sdk/oauth')
  const client = clientOf(provider, login, clientId)
  const { clock, signal, talk } = run
  if (login.kind === 'device-code') return deviceCode(client, { clock, signal, show: (code) => talk.showCode(code) })
  const { loopback, redirectUrl, mintUrl } = login
  return pkce(client, {
    ...{ clock, signal, show: (address) => talk.showAddress(address), paste: (ends) => talk.paste(ends) },
    ...(loopback ? { loopback } : {}),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
    ...(mintUrl === undefined ? {} : { mintUrl }),
  })
}

/** A variable holds before the manifest. */
function clientIdOf(provider: string, login: Exclude<LoginManifest, { kind: 'cli' }>, { environment, environmentFile }: LoginRun): string {
  const given = login.clientIdEnv === undefined ? undefined : environment.get(login.clientIdEnv)
  if (given) return given
  if (login.clientId !== undefined) return login.clientId
  if (login.kind === 'pkce' && login.mintUrl !== undefined) return ''
  const place = `${login.clientIdEnv ?? 'clientId'}=… in ${environmentFile}`
  throw fail('LOGIN_FAILED', {
    provider,
    detail: `it asks for a client id, and agent has none there; put one that you may use into ${place}`,
  })
}
