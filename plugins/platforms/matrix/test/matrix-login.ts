import type { Content } from './matrix-answer.ts'
import { type Answer, no, ok } from './matrix-answer.ts'
import { bot } from './matrix-store.ts'

export const password = 'right-password'

/** The logins of the one account. */
export interface Logins {
  /** The access token that is taken. */
  token(): string
  /** Devices that have logged in. */
  readonly devices: ReadonlySet<string>
  /** What is answered to a request for a token; undefined where it is none. A refresh token is taken once. */
  answer(name: string | undefined, body: Content): Answer | undefined
  /** The token ends now; a refresh makes another. With `forGood` only a login does. */
  expire(forGood?: true): void
}

export function createLogins(): Logins {
  const devices = new Set<string>()
  let count = 0
  let token = 'syt_right'
  let refreshToken: string | undefined
  const renew = (isRefreshable: boolean): Content => {
    count += 1
    token = `syt_${count}`
    refreshToken = isRefreshable ? `syr_${count}` : undefined
    return { access_token: token, ...(refreshToken !== undefined && { refresh_token: refreshToken, expires_in_ms: 80_000 }) }
  }
  const logIn = ({ identifier, password: given, device_id, refresh_token }: Content): Answer => {
    if ((identifier as Content | undefined)?.user !== bot || given !== password)
      return no(403, 'M_FORBIDDEN', 'Invalid username or password')
    const device = typeof device_id === 'string' ? device_id : `DEVICE${devices.size + 1}`
    devices.add(device)
    return ok({ user_id: bot, device_id: device, ...renew(refresh_token === true) })
  }
  const refresh = ({ refresh_token }: Content): Answer =>
    refreshToken === undefined || refresh_token !== refreshToken
      ? no(401, 'M_UNKNOWN_TOKEN', 'refresh token does not exist')
      : ok(renew(true))
  return {
    token: () => token,
    devices,
    answer: (name, body) => (name === 'login' ? logIn(body) : name === 'refresh' ? refresh(body) : undefined),
    expire: (forGood) => {
      count += 1
      token = `syt_ended_${count}`
      if (forGood) refreshToken = undefined
    },
  }
}
