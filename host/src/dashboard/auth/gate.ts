import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { isSameSecret } from '@agent/plugin-sdk/http'
import type { Environment } from '#config/environment/environment.ts'
import type { AuditLog } from './audit.ts'
import { fitsPassword, hashPassword, type PasswordHash, parseHash } from './password.ts'

/** Keeps everybody out who has not logged in. */
export interface Gate {
  /** The cookie's value; the answer to what is wrong is always the same one. */
  logIn(name: string, password: string, address: string): Promise<string>
  isLoggedIn(cookie: string | undefined): boolean
  logOut(cookie: string | undefined): void
}

export const cookieName = 'agent_session'
const livesMs = 12 * 3_600_000
const windowMs = 60_000
const mostTries = 10

/** Undefined where no name and password are set. */
export async function openGate(
  environment: Pick<Environment, 'get'>,
  { clock, audit }: { readonly clock: Pick<Clock, 'now'>; readonly audit: AuditLog },
): Promise<Gate | undefined> {
  const name = environment.get('AGENT_DASHBOARD_BASIC_AUTH_USERNAME')
  const hash = await readHash(environment)
  if (name === undefined || hash === undefined) return undefined
  const cookies = createCookies(environment.get('AGENT_DASHBOARD_BASIC_AUTH_SECRET') ?? randomBytes(32).toString('base64url'), clock)
  const tries = createTries(clock)
  return {
    ...cookies,
    async logIn(given, password, address) {
      if (!tries.take(address)) {
        audit.write({ event: 'login.limited', address })
        throw fail('HTTP_RATE_LIMIT', { path: '/api/auth/login' })
      }
      // The password is checked for a wrong name too: the time tells nothing.
      const fits = await fitsPassword(password, hash)
      const isRight = isSameSecret(given, name) && fits
      audit.write({ event: isRight ? 'login.done' : 'login.refused', address })
      if (!isRight) throw fail('HTTP_LOGIN_WRONG')
      return cookies.make()
    },
  }
}

async function readHash(environment: Pick<Environment, 'get'>): Promise<PasswordHash | undefined> {
  const hash = environment.get('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH')
  if (hash !== undefined) return parseHash(hash)
  const password = environment.get('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD')
  return password === undefined ? undefined : hashPassword(password)
}

interface Cookies extends Pick<Gate, 'isLoggedIn' | 'logOut'> {
  make(): string
}

/** Signed, so that with a kept secret a login outlives a restart. Each login gets another one. */
function createCookies(secret: string, clock: Pick<Clock, 'now'>): Cookies {
  const ended = new Map<string, number>()
  const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url')
  const read = (cookie = ''): { readonly body: string; readonly end: number } | undefined => {
    const [end = '', nonce = '', signature = ''] = cookie.split('.')
    const body = `${end}.${nonce}`
    const isGood = isSameSecret(signature, sign(body)) && clock.now() < Number(end) && !ended.has(body)
    return isGood ? { body, end: Number(end) } : undefined
  }
  return {
    make() {
      const body = `${clock.now() + livesMs}.${randomBytes(18).toString('base64url')}`
      return `${body}.${sign(body)}`
    },
    isLoggedIn: (cookie) => read(cookie) !== undefined,
    logOut(cookie) {
      const found = read(cookie)
      if (found) ended.set(found.body, found.end)
      for (const [body, end] of ended) if (end <= clock.now()) ended.delete(body)
    },
  }
}

/** Ten a minute for each address. */
function createTries(clock: Pick<Clock, 'now'>): { take(address: string): boolean } {
  const times = new Map<string, number[]>()
  return {
    take(address) {
      const since = clock.now() - windowMs
      for (const [each, at] of times) if (at.every((time) => time <= since)) times.delete(each)
      const recent = (times.get(address) ?? []).filter((time) => time > since)
      if (recent.length < mostTries) times.set(address, [...recent, clock.now()])
      return recent.length < mostTries
    },
  }
}
