import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** The configuration with the variables laid over it; the address has no slash at its end. */
export interface Settings extends Config {
  /** One for each workspace. */
  readonly botTokens: readonly string[]
  readonly appToken: string
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const { text, list } = readVariables(secrets)
  const botTokens = (await list('SLACK_BOT_TOKEN')) ?? [await secrets.get('SLACK_BOT_TOKEN')]
  const appToken = (await secrets.get('SLACK_APP_TOKEN')).trim()
  for (const token of botTokens) checkToken('SLACK_BOT_TOKEN', token, /^(xoxe\.)?xoxb-[\x21-\x7e]+$/, 'xoxb-')
  checkToken('SLACK_APP_TOKEN', appToken, /^xapp-[\x21-\x7e]+$/, 'xapp-')
  const url = (await text('SLACK_API_URL')) ?? config.api_url
  if (!/^https?:\/\/[^\s?#@]+$/.test(url) || !URL.canParse(url)) {
    throw fail('ENV_INVALID', { name: 'SLACK_API_URL', problem: 'must be an address that begins with https:// or http://' })
  }
  return { ...config, api_url: url.replace(/\/+$/, ''), botTokens: [...new Set(botTokens)], appToken }
}

/** The two kinds of token are easily mixed up. */
function checkToken(name: string, token: string, shape: RegExp, start: string): void {
  if (!shape.test(token)) throw fail('ENV_INVALID', { name, problem: `must be a token that begins with ${start}` })
}
