import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { ImapFlow } from 'imapflow'
import type { Settings } from './settings.ts'

export const platform = 'E-mail'

const patienceMs = 20_000

/** Resolves when the mailbox lets us in; rejects with a coded error, also when `signal` fires. */
export async function openImap({ imap, username, password }: Settings, signal: AbortSignal): Promise<ImapFlow> {
  signal.throwIfAborted()
  const client = new ImapFlow({
    host: imap.host,
    port: imap.port,
    secure: imap.security === 'tls',
    // Without a word the library would go on unencrypted where the server offers nothing better.
    doSTARTTLS: imap.security === 'starttls',
    auth: { user: username, pass: password },
    disableAutoIdle: true,
    logger: false,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: 180_000,
    maxLiteralSize: 64 << 20,
  })
  // An error without a listener would end the process; what it breaks is rejected or closed too.
  client.on('error', () => undefined)
  const giveUp = (): void => client.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await client.connect()
    signal.throwIfAborted()
    return client
  } catch (error) {
    client.close()
    throw signal.aborted ? signal.reason : describeImapError(error)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

type ImapError = Partial<
  Record<'message' | 'responseText' | 'serverResponseCode', string> & { response: unknown; authenticationFailed: boolean }
>

export function describeImapError(error: unknown): AgentError {
  const { message = '', response, responseText, authenticationFailed = false, serverResponseCode = '' } = (error ?? {}) as ImapError
  const said = typeof response === 'string' ? response : ''
  const detail = (responseText || said || message || String(error)).slice(0, 300)
  // Some are turned away for now, whatever the password.
  const isFinal = authenticationFailed && !/^(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)$/.test(serverResponseCode)
  return fail(isFinal ? 'PLATFORM_AUTH' : 'PLATFORM_UNREACHABLE', { platform, detail }, { cause: error })
}

/** Says goodbye, and closes the socket whatever the server answers. */
export async function closeImap(client: ImapFlow, clock: Clock): Promise<void> {
  if (client.usable) await isOverWithin({ clock, ms: 2000 }, client.logout())
  client.close()
}
