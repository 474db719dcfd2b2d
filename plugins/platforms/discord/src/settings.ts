import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** How the menu is brought up to date: where it differs, always, or never. */
export type CommandSync = 'safe' | 'bulk' | 'off'

/** Whom the words of the agent may notify. */
export interface MentionRules {
  readonly everyone: boolean
  readonly roles: boolean
  readonly users: boolean
  readonly repliedUser: boolean
}

/** The configuration with the variables laid over it. */
export interface Settings {
  readonly token: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly autoThread: boolean
  readonly noThreadChannels: ReadonlySet<string>
  readonly reactions: boolean
  readonly commandSync: CommandSync
  readonly mentions: MentionRules
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const variables = readVariables(secrets)
  const may = async (whom: string): Promise<boolean> => (await variables.switch(`DISCORD_ALLOW_MENTION_${whom}`)) ?? false
  return {
    token: parseToken(await secrets.get('DISCORD_BOT_TOKEN')),
    baseUrl: config.base_url.replace(/\/+$/, ''),
    autoThread: (await variables.switch('DISCORD_AUTO_THREAD')) ?? config.auto_thread,
    noThreadChannels: new Set((await variables.list('DISCORD_NO_THREAD_CHANNELS')) ?? config.no_thread_channels),
    reactions: (await variables.switch('DISCORD_REACTIONS')) ?? config.reactions,
    commandSync: config.slash_commands ? parseSync(await variables.text('DISCORD_COMMAND_SYNC_POLICY')) : 'off',
    mentions: {
      everyone: await may('EVERYONE'),
      roles: await may('ROLES'),
      users: await may('USERS'),
      repliedUser: await may('REPLIED_USER'),
    },
  }
}

function parseToken(text: string): string {
  const token = text.trim().replace(/^Bot\s+/i, '')
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw fail('ENV_INVALID', { name: 'DISCORD_BOT_TOKEN', problem: 'must be the token of a bot, without spaces' })
}

function parseSync(text: string | undefined): CommandSync {
  if (text === undefined || text === 'safe') return 'safe'
  if (text === 'bulk' || text === 'off') return text
  throw fail('ENV_INVALID', { name: 'DISCORD_COMMAND_SYNC_POLICY', problem: 'must be safe, bulk or off' })
}
