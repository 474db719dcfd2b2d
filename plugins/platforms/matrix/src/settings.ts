import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** The configuration with the variables laid over it; the address has no slash at its end. */
export interface Settings {
  readonly homeserver: string
  readonly token: string | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly device: string | undefined
  readonly autoThread: boolean
  readonly processNotices: boolean
  readonly invitesFrom: ReadonlySet<string>
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const homeserver = (await secrets.get('MATRIX_HOMESERVER')).trim()
  const [token, user] = [await variables.text('MATRIX_ACCESS_TOKEN'), await variables.text('MATRIX_USER_ID')]
  const password = await secrets.find('MATRIX_PASSWORD')
  if (token === undefined && (user === undefined || !password)) await secrets.get('MATRIX_ACCESS_TOKEN')
  if (/[^\x21-\x7e]/.test(token ?? '')) throw invalid('MATRIX_ACCESS_TOKEN', 'must be one word')
  if (!/^@\S+:\S+$/.test(user ?? '@a:b')) throw invalid('MATRIX_USER_ID', 'must be a full name such as @agent:example.org')
  if (!/^https?:\/\/[^\s?#@]+$/.test(homeserver) || !URL.canParse(homeserver)) throw invalid('MATRIX_HOMESERVER', 'must be an address')
  return {
    homeserver: homeserver.replace(/\/+$/, ''),
    token,
    user,
    password,
    device: await variables.text('MATRIX_DEVICE_ID'),
    autoThread: (await variables.switch('MATRIX_AUTO_THREAD')) ?? config.auto_thread,
    processNotices: (await variables.switch('MATRIX_PROCESS_NOTICES')) ?? config.process_notices,
    invitesFrom: new Set([...config.invites_from, ...((await variables.list('MATRIX_INVITES_FROM')) ?? [])]),
  }
}

export const invalid = (name: string, problem: string): Error => fail('ENV_INVALID', { name, problem })
