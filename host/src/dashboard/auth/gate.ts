import { createHmac, randomBytes } from 'node:crypto'
import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { isSameSecret } from '@agent/plugin-sdk/http'
import type { Environment } from '#config/environment/environment.ts'
import type { HomeGates } from '#rpc/gates/home-gates.ts'
import type { LoginGround } from './audit.ts'
import { createGateLogins, type GateLogins } from './gate-logins.ts'
import { createOidc } from './oidc.ts'
import { fitsPassword, hashPassword, type PasswordHash, parseHash } from './password.ts'
import { createProviderLogin, type ProviderLogin } from './provider-login.ts'
import { readOidc } from './read-oidc.ts'
import { createTries } from './tries.ts'

/** Keeps everybody out who has not logged in. */
export interface LoginGuard {
  /** The cookie's value; the answer to what is wrong is always the same one. Absent where no name and password are set. */
  readonly logIn?: (name: string, password: string, address: string) => Promise<string>
  /** Absent where no identity provider is set. */
  readonly provider?: ProviderLogin
  /** Absent where the settings name no gate of a plugin. */
  readonly gates?: GateLogins
  /** The gate of a plugin that a login was made by; undefined for the other ways. */
  gateOf(cookie: string | undefined): string | undefined
  isLoggedIn(cookie: string | undefined): boolean
  logOut(cookie: string | undefined): void
}

export const cookieName = 'agent_session'
const livesMs = 12 * 3_600_000

/** The gates of plugins that the settings name, and what they are asked with. */
export interface OfPlugins {
  readonly gates: HomeGates
  readonly log: Log
  readonly signal: AbortSignal
}

/** Undefined where there is no way to log in. */
export async function openGate(
  environment: Pick<Environment, 'get'>,
  ground: LoginGround,
  ofPlugins?: OfPlugins,
): Promise<LoginGuard | undefined> {
  const { clock } = ground
  const name = environment.get('AGENT_DASHBOARD_BASIC_AUTH_USERNAME')
  const hash = await readHash(environment)
  const oidc = readOidc(environment)
  const hasPassword = name !== undefined && hash !== undefined
  if (!hasPassword && !oidc && !ofPlugins) return undefined
  const secret = environment.get('AGENT_DASHBOARD_BASIC_AUTH_SECRET') ?? randomBytes(32).toString('base64url')
  const { make, ...cookies } = createCookies(secret, clock, (gate) => gates?.holds(gate) === true)
  const gates = ofPlugins && createGateLogins({ ...ground, ...ofPlugins, secret, make })
  return {
    ...cookies,
    ...(gates ? { gates } : {}),
    ...(hasPassword ? { logIn: createPasswordLogin({ name, hash, make: () => make() }, ground) } : {}),
    ...(oidc
      ? { provider: createProviderLogin({ oidc: createOidc(oidc, clock), admission: oidc, secret, make: () => make() }, ground) }
      : {}),
  }
}

interface PasswordLogin {
  readonly name: string
  readonly hash: PasswordHash
  readonly make: () => string
}

function createPasswordLogin({ name, hash, make }: PasswordLogin, { clock, audit }: LoginGround): NonNullable<LoginGuard['logIn']> {
  const tries = createTries(clock)
  return async (given, password, address) => {
    if (!tries.take(address)) {
      audit.write({ event: 'login.limited', address })
      throw fail('HTTP_RATE_LIMIT', { path: '/api/auth/login' })
    }
    // The password is checked for a wrong name too: the time tells nothing.
    const fits = await fitsPassword(password, hash)
    const isRight = isSameSecret(given, name) && fits
    audit.write({ event: isRight ? 'login.done' : 'login.refused', address })
    if (!isRight) throw fail('HTTP_LOGIN_WRONG')
    return make()
  }
}

async function readHash(environment: Pick<Environment, 'get'>): Promise<PasswordHash | undefined> {
  const hash = environment.get('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH')
  if (hash !== undefined) return parseHash(hash)
  const password = environment.get('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD')
  return password === undefined ? undefined : hashPassword(password)
}

interface Cookies extends Pick<LoginGuard, 'isLoggedIn' | 'logOut' | 'gateOf'> {
  /** `gate`: the one of a plugin that let the person in. */
  make(gate?: string): string
}

interface ReadCookie {
  readonly body: string
  readonly end: number
  readonly gate: string | undefined
}

/** Signed, so that with a kept secret a login outlives a restart. Each login gets another one; `holds` tells whether logins by a gate are still good. */
function createCookies(secret: string, clock: Pick<Clock, 'now'>, holds: (gate: string) => boolean): Cookies {
  const ended = new Map<string, number>()
  const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url')
  const read = (cookie = ''): ReadCookie | undefined => {
    const [end = '', nonce = '', ...rest] = cookie.split('.')
    const [signature = '', gate] = rest.toReversed()
    const body = gate === undefined ? `${end}.${nonce}` : `${end}.${nonce}.${gate}`
    const isGood = rest.length <= 2 && isSameSecret(signature, sign(body)) && clock.now() < Number(end) && !ended.has(body)
    return isGood ? { body, end: Number(end), gate } : undefined
  }
  return {
    make(gate) {
      const body = [clock.now() + livesMs, randomBytes(18).toString('base64url'), ...(gate === undefined ? [] : [gate])].join('.')
      return `${body}.${sign(body)}`
    },
    gateOf: (cookie) => read(cookie)?.gate,
    isLoggedIn(cookie) {
      const found = read(cookie)
      return found !== undefined && (found.gate === undefined || holds(found.gate))
    },
    logOut(cookie) {
      const found = read(cookie)
      if (found) ended.set(found.body, found.end)
      for (const [body, end] of ended) if (end <= clock.now()) ended.delete(body)
    },
  }
}
