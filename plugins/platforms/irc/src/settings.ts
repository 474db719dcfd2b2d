import { readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Secrets } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import type { Credentials } from './sasl.ts'
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
  readonly sasl: Credentials | undefined
  /** Certificate and key, by which a network may know us. */
  readonly certificate: string | undefined
  readonly lineDelayMs: number
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const server = (await secrets.get('IRC_SERVER')).trim()
  if (!isWord(server)) throw fail('ENV_INVALID', { name: 'IRC_SERVER', problem: 'must be a host name' })
  const variables = readVariables(secrets)
  const tls = (await variables.switch('IRC_USE_TLS')) ?? config.use_tls
  const nickname = parseNick('IRC_NICKNAME', (await variables.text('IRC_NICKNAME')) ?? config.nickname)
  const certificate = await loadCertificate(secrets, tls)
  const sasl = (await loadCredentials(secrets, nickname)) ?? (certificate === undefined ? undefined : { mechanism: 'EXTERNAL' })
  if (sasl?.mechanism === 'PLAIN' && !tls && !isThisMachine(server)) {
    throw fail('ENV_INVALID', { name: 'IRC_SASL_PASSWORD', problem: 'would be shown to everybody on the way: it wants IRC_USE_TLS=true' })
  }
  return {
    server,
    tls,
    port: (await variables.port('IRC_PORT')) ?? config.port ?? (tls ? 6697 : 6667),
    nickname,
    channels: parseChannels('IRC_CHANNEL', (await variables.list('IRC_CHANNEL')) ?? config.channels),
    password: await secrets.find('IRC_SERVER_PASSWORD'),
    nickServPassword: await secrets.find('IRC_NICKSERV_PASSWORD'),
    sasl,
    certificate,
    lineDelayMs: config.line_delay_ms,
  }
}

const isThisMachine = (server: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(server)

/** The account is called as the nick is, unless a variable says otherwise. */
async function loadCredentials({ find }: Pick<Secrets, 'find'>, nickname: string): Promise<Credentials | undefined> {
  const password = await find('IRC_SASL_PASSWORD')
  return password === undefined ? undefined : { mechanism: 'PLAIN', user: (await find('IRC_SASL_USERNAME'))?.trim() || nickname, password }
}

async function loadCertificate({ find }: Pick<Secrets, 'find'>, tls: boolean): Promise<string | undefined> {
  const name = 'IRC_CLIENT_CERTIFICATE'
  const path = (await find(name))?.trim() ?? ''
  if (path === '') return undefined
  const wrong = (problem: string): Error => fail('ENV_INVALID', { name, problem })
  if (!tls) throw wrong('wants IRC_USE_TLS=true')
  if (!isAbsolute(path)) throw wrong('must be the whole path of a file, with / at its beginning')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw wrong(`names a file that cannot be read: ${detailOf(error)}`)
  })
  try {
    createSecureContext({ cert: text, key: text })
  } catch (error) {
    throw wrong(`names a file that is no certificate with its key, both as PEM: ${detailOf(error)}`)
  }
  return text
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
