import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'

export interface Settings {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
}

export async function loadSettings(secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const token = (await secrets.get('HASS_TOKEN')).trim()
  // A header takes no other characters, and its error would show the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw fail('ENV_INVALID', { name: 'HASS_TOKEN', problem: 'must be a token without white space' })
  const written = (await readVariables(secrets).text('HASS_URL')) ?? 'http://homeassistant.local:8123'
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw fail('ENV_INVALID', { name: 'HASS_URL', problem: 'must be an address that begins with http:// or https://' })
  }
  return { token, url: url.href.replace(/\/+$/, '') }
}
