import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import type { Client } from './client.ts'

/** An account of the network. */
export interface Credentials {
  readonly user: string
  readonly password: string
}

const platform = 'IRC'
/** Most that one line carries; a shorter one is the last. */
const chunkLength = 400
const failures = new Set(['902', '904', '905', '906', '908'])

/** Logs in while the server holds the welcome back, which has to be asked for before the nick. Rejects where that is refused or not offered. */
export async function authenticate(client: Client, credentials: Credentials, signal: AbortSignal): Promise<void> {
  let offered = ''
  const onCapability = ([, step = '', ...rest]: readonly string[]): void => {
    const list = rest.at(-1) ?? ''
    if (step.toUpperCase() === 'ACK') client.write('AUTHENTICATE', 'PLAIN')
    else if (step.toUpperCase() === 'NAK') throw missing()
    else if (step.toUpperCase() === 'LS') {
      offered += ` ${list}`
      // A star says that more lines of the list follow.
      if (rest[0] === '*' && rest.length > 1) return
      if (!offersPlain(offered)) throw missing()
      client.write('CAP', 'REQ', 'sasl')
    }
  }
  const answered = client.until(({ command, params }) => {
    if (command === 'CAP') onCapability(params)
    if (command === 'AUTHENTICATE') for (const piece of formatCredentials(credentials)) client.write('AUTHENTICATE', piece)
    if (failures.has(command)) throw wrong(params.at(-1) ?? '')
    // Who is welcome already, or is not understood, talks to a server without all this.
    if (command === '001' || (command === '421' && params.includes('CAP'))) throw missing()
    return command === '903' || undefined
  }, signal)
  client.write('CAP', 'LS', '302')
  await answered
  client.write('CAP', 'END')
}

function offersPlain(list: string): boolean {
  const [, mechanisms = 'PLAIN'] = /(?:^| )sasl(?:=(\S*))?(?= |$)/.exec(list) ?? [undefined, '']
  return mechanisms.toUpperCase().split(',').includes('PLAIN')
}

/** What PLAIN sends; an end of full length is followed by a sign that nothing follows. */
function formatCredentials({ user, password }: Credentials): readonly string[] {
  const text = Buffer.from(`\0${user}\0${password}`).toString('base64')
  const pieces = text.match(new RegExp(`.{1,${chunkLength}}`, 'g')) ?? []
  return pieces.at(-1)?.length === chunkLength ? [...pieces, '+'] : pieces
}

function wrong(detail: string): AgentError {
  const todo = 'IRC_SASL_USERNAME and IRC_SASL_PASSWORD must be an account of the network and its password'
  return fail('PLATFORM_AUTH', { platform, detail: `${detail.replace(/\.$/, '')}; ${todo}` })
}

function missing(): AgentError {
  const detail =
    'the server offers no SASL with a password; take IRC_SASL_PASSWORD out, and use IRC_NICKSERV_PASSWORD where it has NickServ'
  return fail('PLATFORM_AUTH', { platform, detail })
}
