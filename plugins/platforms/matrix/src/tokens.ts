import type { PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createApi, formatPath, platform, type Tokens } from './api.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'
import { type Login, parseKeptLogin, replies } from './wire.ts'

/** What is kept of a login, so that the next start needs no other. */
type Kept = Login & { readonly endsAt: number | null }

/** A token is renewed so long before its end: Synapse gives five minutes. */
const beforeEndMs = 60_000

/** The token that is configured, or the login by name and password. `signal` is the life of the connection. */
export function openTokens(context: PlatformContext<Config>, settings: Settings, signal: AbortSignal): Tokens {
  const { token } = settings
  return token === undefined ? openLogin(context, settings, signal) : { current: async () => token, renew: async () => undefined }
}

/** Stays one device over all logins, so that the list of devices of the account does not grow. */
function openLogin(
  { state, clock, fetch, log }: PlatformContext<Config>,
  { homeserver, user, password, device }: Settings,
  signal: AbortSignal,
): Tokens {
  const [key, deviceKey] = [`login:${homeserver}/${user}`, `device:${homeserver}/${user}`]
  const api = createApi({ fetch, clock }, homeserver, undefined)
  let kept: Kept | undefined
  let renewing: Promise<string> | undefined

  const keep = async (login: Login): Promise<string> => {
    kept = { ...login, endsAt: login.expires_in_ms === undefined ? null : clock.now() + login.expires_in_ms }
    // Before the first use: the server forgets the old ones then.
    await state.set(key, JSON.stringify(kept))
    await state.set(deviceKey, login.device_id)
    return kept.access_token
  }
  const logIn = async (): Promise<string> => {
    const own = device ?? (await state.get(deviceKey))
    const body = {
      ...{ type: 'm.login.password', identifier: { type: 'm.id.user', user }, password },
      ...{ initial_device_display_name: 'agent', refresh_token: true },
      ...(typeof own === 'string' && { device_id: own }),
    }
    const login = await api.ask(replies.login, formatPath('login'), { method: 'POST', body, signal }).catch((error: unknown) => {
      throw isAgentError(error, 'SEND_REFUSED') ? fail('PLATFORM_AUTH', { platform, detail: String(error.params.detail) }) : error
    })
    return await keep(login)
  }
  const refresh = async ({ refresh_token, device_id }: Kept): Promise<string | undefined> => {
    if (refresh_token === undefined) return undefined
    try {
      const fresh = await api.ask(replies.refreshed, formatPath('refresh'), { method: 'POST', body: { refresh_token }, signal })
      return await keep({ refresh_token, ...fresh, device_id })
    } catch (error) {
      // Taken back, or ended: the password makes another.
      if (!isAgentError(error, 'PLATFORM_AUTH') && !isAgentError(error, 'SEND_REFUSED')) throw error
      log.info('the login has ended, the password begins another', { reason: String(error) })
      return undefined
    }
  }
  // One at a time: a server takes a refresh token once.
  const change = (): Promise<string> => {
    const fresh = async (): Promise<string> => (kept && (await refresh(kept))) ?? (await logIn())
    renewing ??= fresh().finally(() => {
      renewing = undefined
    })
    return renewing
  }
  return {
    current: async () => {
      kept ??= parseKeptLogin(await state.get(key))
      if (!kept || (kept.endsAt !== null && kept.endsAt - clock.now() < beforeEndMs)) return await change()
      return kept.access_token
    },
    renew: async (refused) => (kept && kept.access_token !== refused ? kept.access_token : await change()),
  }
}
