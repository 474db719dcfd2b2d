import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import type { Client } from './client.ts'

/** An account of the network: its password, or the certificate of our TLS connection, which the account has to know. */
export type Credentials =
  | { readonly mechanism: 'PLAIN'; readonly user: string; readonly password: string }
  | { readonly mechanism: 'EXTERNAL' }

const platform = 'IRC'
/** Most that one line carries; a shorter one is the last. */
const chunkLength = 400
const failures = new Set(['902', '904', '905', '906', '908'])

/**
 * Logs in while the server holds the welcome back, which has to be asked for before the nick. Rejects where that is refused, and where a password
 * is not asked for; networks that do not ask for a certificate may know it all the same.
 */
export async function authenticate(client: Client, credentials: Credentials, signal: AbortSignal): Promise<void> {
  const { mechanism } = credentials
  const isNeeded = mechanism === 'PLAIN'
  let offered = ''
  /** True where it is not offered and not needed. */
  const onCapability = ([, step = '', ...rest]: readonly string[]): true | undefined => {
    const list = rest.at(-1) ?? ''
    if (step.toUpperCase() === 'ACK') client.write('AUTHENTICATE', mechanism)
    else if (step.toUpperCase() === 'NAK') return goWithout()
    else if (step.toUpperCase() === 'LS') {
      offered += ` ${list}`
      // A star says that more lines of the list follow.
      if (rest[0] === '*' && rest.length > 1) return undefined
      if (!offers(mechanism, offered)) return goWithout()
      client.write('CAP', 'REQ', 'sasl')
    }
    return undefined
  }
  const goWithout = (): true => {
    if (isNeeded) throw missing()
    return true
  }
  const answered = client.until(({ command, params }) => {
    if (command === 'CAP') return onCapability(params)
    if (command === 'AUTHENTICATE') for (const piece of formatCredentials(credentials)) client.write('AUTHENTICATE', piece)
    if (failures.has(command)) throw wrong(params.at(-1) ?? '', mechanism)
    // Who is welcome already, or is not understood, talks to a server without all this.
    if (command === '001' || (command === '421' && params.includes('CAP'))) return goWithout()
    return command === '903' || undefined
  }, signal)
  client.write('CAP', 'LS', '302')
  await answered
  client.write('CAP', 'END')
}

function offers(mechanism: string, list: string): boolean {
  const [, mechanisms = 'PLAIN'] = /(?:^| )sasl(?:=(\S*))?(?= |$)/.exec(list) ?? [undefined, '']
  return mechanisms.toUpperCase().split(',').includes(mechanism)
}

/** What PLAIN sends; an end of full length is followed by a sign that nothing follows, which is all that EXTERNAL has to say. */
function formatCredentials(credentials: Credentials): readonly string[] {
  if (credentials.mechanism === 'EXTERNAL') return ['+']
  const text = Buffer.from(`\0${credentials.user}\0${credentials.password}`).toString('base64')
  const pieces = text.match(new RegExp(`.{1,${chunkLength}}`, 'g')) ?? []
  return pieces.at(-1)?.length === chunkLength ? [...pieces, '+'] : pieces
}

const remedies = {
  PLAIN: 'IRC_SASL_USERNAME and IRC_SASL_PASSWORD must be an account of the network and its password',
  EXTERNAL: 'tell the account the fingerprint of IRC_CLIENT_CERTIFICATE first (with NickServ: CERT ADD), or set IRC_SASL_PASSWORD',
}

function wrong(detail: string, mechanism: Credentials['mechanism']): AgentError {
  return fail('PLATFORM_AUTH', { platform, detail: `${detail.replace(/\.$/, '')}; ${remedies[mechanism]}` })
}

function missing(): AgentError {
  const detail =
    'the server offers no SASL with a password; take IRC_SASL_PASSWORD out, and use IRC_NICKSERV_PASSWORD where it has NickServ'
  return fail('PLATFORM_AUTH', { platform, detail })
}
