import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config, Security } from './config.ts'
import { isAddress } from './wire.ts'

/** One server and how it is reached. */
export interface Server {
  readonly host: string
  readonly port: number
  readonly security: Security
}

/** The configuration with the variables laid over it. */
export interface Settings {
  /** In lower case; the account too. */
  readonly address: string
  readonly username: string
  readonly password: string
  readonly imap: Server
  readonly smtp: Server
  readonly mailboxes: readonly string[]
  readonly pollMs: number
  readonly authservId: string | undefined
  /** The rest of the configuration, as it is written. */
  readonly config: Pick<Config, 'trust_from' | 'skip_attachments' | 'subject'>
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const host = async (name: string): Promise<string> => check(name, (await secrets.get(name)).trim(), /^[\w.:-]+$/, 'must be a host name')
  const address = (await secrets.get('EMAIL_ADDRESS')).trim().toLowerCase()
  if (!isAddress(address)) throw fail('ENV_INVALID', { name: 'EMAIL_ADDRESS', problem: 'must be an e-mail address' })
  const interval = (await variables.text('EMAIL_POLL_INTERVAL')) ?? String(config.poll_interval)
  const smtpPort = (await variables.port('EMAIL_SMTP_PORT')) ?? config.smtp_port
  const mailboxes = (await variables.list('EMAIL_MAILBOXES')) ?? config.mailboxes
  return {
    address,
    username: config.username ?? address,
    password: check('EMAIL_PASSWORD', await secrets.get('EMAIL_PASSWORD'), /\S/, 'must not be blank'),
    imap: {
      host: await host('EMAIL_IMAP_HOST'),
      port: (await variables.port('EMAIL_IMAP_PORT')) ?? config.imap_port,
      security: config.imap_security,
    },
    smtp: {
      host: await host('EMAIL_SMTP_HOST'),
      port: smtpPort,
      security: config.smtp_security ?? (smtpPort === 465 ? 'tls' : 'starttls'),
    },
    mailboxes: mailboxes.length === 0 ? ['INBOX'] : mailboxes,
    pollMs: 1000 * Number(check('EMAIL_POLL_INTERVAL', interval, /^[1-9]\d{0,5}$/, 'must be a number of seconds')),
    authservId: config.authserv_id?.trim().toLowerCase() || undefined,
    config,
  }
}

function check(name: string, text: string, pattern: RegExp, problem: string): string {
  if (pattern.test(text)) return text
  throw fail('ENV_INVALID', { name, problem })
}
