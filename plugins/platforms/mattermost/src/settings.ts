import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  /** Address of the API, without a slash at its end. */
  readonly apiUrl: string
  readonly token: string
  readonly autoThread: boolean
  readonly directAutoThread: boolean
  readonly reactions: boolean
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  return {
    apiUrl: `${parseServer(await secrets.get('MATTERMOST_URL'))}/api/v4`,
    token: parseToken(await secrets.get('MATTERMOST_TOKEN')),
    autoThread: (await variables.switch('MATTERMOST_AUTO_THREAD')) ?? config.auto_thread,
    directAutoThread: (await variables.switch('MATTERMOST_DM_AUTO_THREAD')) ?? config.dm_auto_thread,
    reactions: config.reactions,
  }
}

function parseServer(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  const wrong = (problem: string) => fail('ENV_INVALID', { name: 'MATTERMOST_URL', problem })
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('must be an address that begins with https:// or http://')
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a password: put the token into MATTERMOST_TOKEN')
  if (url.search !== '' || url.hash !== '') throw wrong('must end with the host or a path')
  return url.href.replace(/\/+$/, '').replace(/\/api\/v4$/, '')
}

function parseToken(text: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw fail('ENV_INVALID', { name: 'MATTERMOST_TOKEN', problem: 'must be an access token, without spaces' })
}
