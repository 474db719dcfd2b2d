import type { Clock } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { OAuthClient, OAuthTokens, ShownCode } from '@agent/plugin-sdk/oauth'
import { keepLogin } from '#config/auth/auth-store.ts'
import type { EnvironmentVariables, ProviderContribution } from '../request/endpoint.ts'
import { createCliTokens, hasCliFile } from './cli-tokens.ts'
import { chooseLogin, findClient } from './find-client.ts'
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
  const login = chooseLogin(spec.login, run.environment)
  if (login === undefined) throw fail('UNSUPPORTED', { what: `a login; it needs ${spec.keyEnv[0] ?? 'no key'}`, by: id })
  const at = run.clock.now()
  if (login.kind === 'cli') {
    const tokens = createCliTokens({ provider: id, manifest: login, keepSecret: () => undefined, now: () => at })
    await tokens.current(undefined, run.signal)
    return keepLogin(run.file, id, { kind: 'cli', at })
  }
  const own = findClient(id, login, run)
  const tokens = await takeTokens(id, login, own, run)
  const { access, refresh } = tokens
  const times = timesOf(tokens, run.clock.now(), login.renewSeconds * 1000)
  keepLogin(run.file, id, { kind: login.kind, at, ...own, access, ...(refresh === undefined ? {} : { refresh }), ...times })
}

/** Why no login can begin as things are, half a sentence; undefined where one can. Asks nobody. */
export function findLoginTrouble(
  { id, spec }: ProviderContribution,
  place: Pick<LoginRun, 'environment' | 'environmentFile'>,
): string | undefined {
  const login = chooseLogin(spec.login, place.environment)
  if (login === undefined) return undefined
  if (login.kind === 'cli') return hasCliFile(login) ? undefined : `${login.program} has no login on this machine; log in there first`
  try {
    findClient(id, login, place)
    return undefined
  } catch (error) {
    if (!isAgentError(error)) throw error
    return String(error.params.detail)
  }
}

async function takeTokens(
  provider: string,
  login: Exclude<LoginManifest, { kind: 'cli' }>,
  own: Pick<OAuthClient, 'clientId' | 'clientSecret'>,
  run: LoginRun,
): Promise<OAuthTokens> {
  const { deviceCode, pkce } = await import('@agent/plugin-sdk/oauth')
  const client = clientOf(provider, login, own)
  const { clock, signal, talk } = run
  const check = (address: string): void => requireSafe(provider, address)
  const show = (code: ShownCode): void => {
    check(code.address)
    if (code.fullAddress !== undefined) check(code.fullAddress)
    talk.showCode(code)
  }
  if (login.kind === 'device-code') return deviceCode(client, { clock, signal, show })
  const { loopback, redirectUrl, mintUrl, parameters } = login
  return pkce(client, {
    ...{ clock, signal, parameters, paste: (needed) => talk.paste(needed) },
    show: (address) => {
      check(address)
      talk.showAddress(address)
    },
    ...(loopback ? { loopback } : {}),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
    ...(mintUrl === undefined ? {} : { mintUrl }),
  })
}

/** A person is sent to encrypted pages alone, and to those of this machine: the address comes from the server, and may be anything. */
function requireSafe(provider: string, address: string): void {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' }
  if (protocol === 'https:' || (protocol === 'http:' && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname))) return
  throw fail('LOGIN_FAILED', { provider, detail: 'its server sends people to a page that is not encrypted' })
}
