import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

export interface Settings {
  /** Address of the daemon, without a slash at its end. */
  readonly url: string
  /** Our own phone number. */
  readonly number: string
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const url = (await readVariables(secrets).text('SIGNAL_HTTP_URL')) ?? config.http_url
  return { url: parseAddress(url), number: parseNumber(await secrets.get('SIGNAL_ACCOUNT')) }
}

function parseNumber(text: string): string {
  const number = text.replace(/[\s()-]/g, '')
  if (/^\+\d{5,15}$/.test(number)) return number
  throw fail('ENV_INVALID', { name: 'SIGNAL_ACCOUNT', problem: 'must be a phone number with its country, such as +43123456789' })
}

function parseAddress(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  throw fail('ENV_INVALID', { name: 'SIGNAL_HTTP_URL', problem: 'must be an address that begins with http:// or https://' })
}
