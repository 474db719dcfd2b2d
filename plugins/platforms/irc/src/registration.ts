import type { Log } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import type { Client } from './client.ts'
import { authenticate } from './sasl.ts'
import type { Settings } from './settings.ts'
import { foldCase, isChannel, type Line } from './wire.ts'

const platform = 'IRC'
const nickTaken = new Set(['433', '436', '437'])
const nickWrong = '432'
const refusals = new Set(['464', '465', '466'])
const mostTries = 6

/** Introduces us and waits for the welcome. A nick that is taken gets a suffix. */
export async function register(client: Client, { nickname, password, sasl }: Settings, signal: AbortSignal): Promise<void> {
  let tries = 0
  const tryAgain = ({ command, params }: Line): void => {
    tries += 1
    if (tries > mostTries || (tries === 1 && command === nickWrong)) throw refused(params)
    // A nick with a suffix may be too long for the server: then the suffix takes the place of its end.
    const stem = command === nickWrong ? nickname.slice(0, 9 - tries) : nickname
    client.write('NICK', stem + '_'.repeat(tries))
  }
  const welcome = client.until((line) => {
    const { command, params } = line
    if (command === '001') return true
    if (refusals.has(command)) throw refused(params)
    if (command === 'ERROR') throw farewell(params.at(-1) ?? 'the server hung up')
    if (nickTaken.has(command) || command === nickWrong) tryAgain(line)
    return undefined
  }, signal)
  const authenticated = sasl && authenticate(client, sasl, signal)
  if (password !== undefined) client.write('PASS', password)
  client.write('NICK', nickname)
  client.write('USER', nickname, '0', '*', nickname)
  await Promise.all([welcome, authenticated])
}

/** Tells the network's service that the nick is ours. */
export function identify(client: Client, { nickServPassword }: Settings): void {
  if (nickServPassword !== undefined) client.write('PRIVMSG', 'NickServ', `IDENTIFY ${nickServPassword}`)
}

/** Resolves when every channel was joined or refused; a refusal is logged and harms nothing else. */
export async function joinChannels(client: Client, channels: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const off = client.onLine(({ command, params: [, channel = '', ...rest] }) => {
    if (/^4\d\d$/.test(command) && isChannel(channel)) log.warn('a channel could not be joined', { channel, detail: rest.join(' ') })
  })
  try {
    for (const channel of channels) client.write('JOIN', channel)
    await client.roundTrip(signal)
  } finally {
    off()
  }
}

/** Asks for the wanted nick again, and identifies once we have it. */
export function regainNick(client: Client, settings: Settings): void {
  if (foldCase(client.nick()) !== foldCase(settings.nickname)) client.write('NICK', settings.nickname)
}

const refused = (params: readonly string[]): AgentError => fail('PLATFORM_AUTH', { platform, detail: params.slice(1).join(': ') })

/** Some servers say only in their last words that the password was wrong. */
function farewell(detail: string): AgentError {
  const code = /password|not authori[sz]ed|banned|[gkz]-?lined/i.test(detail) ? 'PLATFORM_AUTH' : 'PLATFORM_UNREACHABLE'
  return fail(code, { platform, detail })
}
