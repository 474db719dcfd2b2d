import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  /** The account too. */
  readonly phoneNumberId: string
  readonly accessToken: string
  /** Without it no call of Meta can be proved, and none is taken. */
  readonly appSecret: string | undefined
  readonly verifyToken: string | undefined
  readonly wabaId: string | undefined
  /** Address of the Graph API with its version, without a slash at its end. */
  readonly graphUrl: string
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const { text } = readVariables(secrets)
  const check = (name: string, value: string, pattern: RegExp, problem: string): string => {
    if (pattern.test(value)) return value
    throw fail('ENV_INVALID', { name, problem })
  }
  const given = async (name: string): Promise<string> => (await secrets.get(name)).trim()
  const phoneNumberId = check(
    'WHATSAPP_CLOUD_PHONE_NUMBER_ID',
    await given('WHATSAPP_CLOUD_PHONE_NUMBER_ID'),
    /^\d{15,17}$/,
    'must be the id of the phone number, which has 15 to 17 digits; the number itself is something else',
  )
  const accessToken = check(
    'WHATSAPP_CLOUD_ACCESS_TOKEN',
    await given('WHATSAPP_CLOUD_ACCESS_TOKEN'),
    /^[\x21-\x7e]+$/,
    'must be an access token',
  )
  const version = (await text('WHATSAPP_CLOUD_API_VERSION')) ?? config.api_version
  check('WHATSAPP_CLOUD_API_VERSION', version, /^v\d+\.\d+$/, 'must be a version such as v24.0')
  return {
    phoneNumberId,
    accessToken,
    appSecret: await text('WHATSAPP_CLOUD_APP_SECRET'),
    verifyToken: await text('WHATSAPP_CLOUD_VERIFY_TOKEN'),
    wabaId: (await text('WHATSAPP_CLOUD_WABA_ID')) ?? config.waba_id,
    graphUrl: `${config.base_url.replace(/\/+$/, '')}/${version}`,
  }
}
