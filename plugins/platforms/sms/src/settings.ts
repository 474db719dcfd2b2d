import type { Secrets } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { isNumber } from './wire.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  readonly accountSid: string
  readonly authToken: string
  /** The agent's own number; the account too. */
  readonly number: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** What Twilio signs; undefined where calls are believed without a signature. */
  readonly webhookUrl: string | undefined
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const accountSid = (await secrets.get('TWILIO_ACCOUNT_SID')).trim()
  if (!/^AC[0-9a-f]{32}$/i.test(accountSid)) throw wrong('TWILIO_ACCOUNT_SID', 'must begin with AC and have 34 letters and digits')
  const authToken = (await secrets.get('TWILIO_AUTH_TOKEN')).trim()
  if (!/^[\x21-\x7e]+$/.test(authToken)) throw wrong('TWILIO_AUTH_TOKEN', 'must be the auth token of the account')
  const number = (await secrets.get('TWILIO_PHONE_NUMBER')).replace(/[\s().-]/g, '')
  if (!isNumber(number)) throw wrong('TWILIO_PHONE_NUMBER', 'must be a number with its country code, such as +15551234567')
  const isInsecure = (await variables.switch('SMS_INSECURE_NO_SIGNATURE')) ?? false
  const webhookUrl = (await variables.text('SMS_WEBHOOK_URL')) ?? config.webhook_url?.trim()
  if (!isInsecure && !webhookUrl) throw wrong('SMS_WEBHOOK_URL', 'must be the address that Twilio calls: its signature covers it')
  if (webhookUrl && !isWebAddress(webhookUrl)) throw wrong('SMS_WEBHOOK_URL', 'must begin with https:// or http://')
  const baseUrl = config.base_url.replace(/\/+$/, '')
  return { accountSid, authToken, number, baseUrl, webhookUrl: isInsecure ? undefined : webhookUrl }
}

const wrong = (name: string, problem: string): AgentError => fail('ENV_INVALID', { name, problem })

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
