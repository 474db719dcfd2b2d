import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { isChannel, isWord } from './wire.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  readonly server: string
  readonly port: number
  readonly tls: boolean
  /** The nick that we want; the server may have given it to somebody else. */
  readonly nickname: string
  readonly channels: readonly string[]
  readonly password: string | undefined
  readonly nickServPassword: string | undefined
  readonly lineDelayMs: number
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const server = (await secrets.get('IRC_SERVER')).trim()
  if (!isWord(server)) throw fail('ENV_INVALID', { name: 'IRC_SERVER', problem: 'must be a host name' })
  const tls = parseSwitch('IRC_USE_TLS', await secrets.find('IRC_USE_TLS')) ?? config.use_tls
  return {
    server,
    tls,
    port: parsePort('IRC_PORT', await secrets.find('IRC_PORT')) ?? config.port ?? (tls ? 6697 : 6667),
    nickname: parseNick('IRC_NICKNAME', (await secrets.find('IRC_NICKNAME')) ?? config.nickname),
    channels: parseChannels('IRC_CHANNEL', (await secrets.find('IRC_CHANNEL'))?.split(',') ?? config.channels),
    password: await secrets.find('IRC_SERVER_PASSWORD'),
    nickServPassword: await secrets.find('IRC_NICKSERV_PASSWORD'),
    lineDelayMs: config.line_delay_ms,
  }
}

function parseSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(true|1|yes|on)$/i.test(text.trim())) return true
  if (/^(false|0|no|off)$/i.test(text.trim())) return false
  throw fail('ENV_INVALID', { name, problem: 'must be true or false' })
}

function parsePort(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw fail('ENV_INVALID', { name, problem: 'must be a number from 1 to 65535' })
}

function parseNick(name: string, text: string): string {
  const nick = text.trim()
  if (isWord(nick) && !/^[\d-]|[!@*?]/.test(nick) && !isChannel(nick)) return nick
  throw fail('ENV_INVALID', { name, problem: 'must be a nick: letters, digits and - _ [ ] \\ ` ^ { | }, no digit first' })
}

function parseChannels(name: string, list: readonly string[]): readonly string[] {
  const named = list.map((text) => text.trim()).filter((text) => text !== '')
  const channels = named.map((text) => (isChannel(text) ? text : `#${text}`))
  const wrong = channels.find((channel) => !isWord(channel))
  if (wrong === undefined) return channels
  throw fail('ENV_INVALID', { name, problem: `names "${wrong}", which cannot be a channel` })
}
