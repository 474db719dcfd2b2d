import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  readonly token: string
  readonly baseUrl: string
  readonly autoThread: boolean
  readonly noThreadChannels: ReadonlySet<string>
  readonly reactions: boolean
  /** Whether the menu of commands is written. */
  readonly menu: boolean
  /** Whom the words of the agent may notify, in Discord's form. */
  readonly mentions: { readonly parse: readonly string[]; readonly replied_user: boolean }
}

const notifiable = ['DISCORD_ALLOW_MENTION_EVERYONE', 'DISCORD_ALLOW_MENTION_ROLES', 'DISCORD_ALLOW_MENTION_USERS'] as const

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const parse: string[] = []
  for (const name of notifiable) if (await variables.switch(name)) parse.push(name.slice(name.lastIndexOf('_') + 1).toLowerCase())
  const name = 'DISCORD_COMMAND_SYNC_POLICY'
  const sync = (await variables.text(name)) ?? 'safe'
  if (!/^(safe|bulk|off)$/.test(sync)) throw fail('ENV_INVALID', { name, problem: 'must be safe, bulk or off' })
  return {
    token: parseToken(await secrets.get('DISCORD_BOT_TOKEN')),
    baseUrl: config.base_url.replace(/\/+$/, ''),
    autoThread: (await variables.switch('DISCORD_AUTO_THREAD')) ?? config.auto_thread,
    noThreadChannels: new Set((await variables.list('DISCORD_NO_THREAD_CHANNELS')) ?? config.no_thread_channels),
    reactions: (await variables.switch('DISCORD_REACTIONS')) ?? config.reactions,
    menu: config.slash_commands && sync !== 'off',
    mentions: { parse, replied_user: (await variables.switch('DISCORD_ALLOW_MENTION_REPLIED_USER')) ?? false },
  }
}

function parseToken(text: string): string {
  const token = text.trim().replace(/^Bot\s+/i, '')
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw fail('ENV_INVALID', { name: 'DISCORD_BOT_TOKEN', problem: 'must be the token of a bot, without spaces' })
}
