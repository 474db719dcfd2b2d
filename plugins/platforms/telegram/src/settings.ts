import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

export interface Settings {
  readonly token: string
  /** Address of the Bot API, without a slash at its end. */
  readonly baseUrl: string
  readonly baseFileUrl: string
  /** Where Telegram pushes to, and the secret by which we know it; undefined: the bot polls. */
  readonly webhook: Webhook | undefined
  readonly dropPending: boolean
  readonly reactions: boolean
  readonly linkPreviews: boolean
  readonly mostCommands: number
}

export interface Webhook {
  readonly url: string
  readonly secret: string
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const baseUrl = parseAddress('base_url', config.base_url)
  const webhookUrl = (await variables.text('TELEGRAM_WEBHOOK_URL')) ?? config.webhook_url
  return {
    token: parseToken(await secrets.get('TELEGRAM_BOT_TOKEN')),
    baseUrl,
    baseFileUrl: config.base_file_url === undefined ? `${baseUrl}/file` : parseAddress('base_file_url', config.base_file_url),
    webhook: webhookUrl === undefined ? undefined : await loadWebhook(webhookUrl, secrets),
    dropPending: config.drop_pending_on_cold_boot,
    reactions: (await variables.switch('TELEGRAM_REACTIONS')) ?? config.reactions,
    linkPreviews: !config.disable_link_previews,
    mostCommands: config.command_menu.max_commands,
  }
}

/** Without a secret anybody who finds the address could speak as anybody, so there is no such mode. */
async function loadWebhook(url: string, secrets: Pick<Secrets, 'get'>): Promise<Webhook> {
  const secret = (await secrets.get('TELEGRAM_WEBHOOK_SECRET')).trim()
  if (!/^[\w-]{16,256}$/.test(secret)) {
    throw fail('ENV_INVALID', { name: 'TELEGRAM_WEBHOOK_SECRET', problem: 'must be 16 to 256 letters, digits, _ and -' })
  }
  return { url: parseAddress('TELEGRAM_WEBHOOK_URL', url), secret }
}

/** The token becomes a part of every address, so nothing else may stand in it. */
function parseToken(text: string): string {
  const token = text.trim()
  if (/^\d+:[\w-]+$/.test(token)) return token
  throw fail('ENV_INVALID', { name: 'TELEGRAM_BOT_TOKEN', problem: 'must be a token of @BotFather, such as 123456789:AAE…' })
}

function parseAddress(name: string, text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  throw fail('ENV_INVALID', { name, problem: 'must be an address that begins with https:// or http:// and ends with the host or a path' })
}
