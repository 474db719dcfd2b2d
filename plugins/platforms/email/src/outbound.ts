import { type Call, type Clock, type Connection, type Files, type OutboundMessage, type Receipt, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, type SendGate } from '@agent/plugin-sdk/http'
import { createTransport } from 'nodemailer'
import { closeImap, openImap, platform } from './imap.ts'
import { unverified } from './inbound.ts'
import type { Memory } from './memory.ts'
import { formatMessageId } from './message-id.ts'
import type { Settings } from './settings.ts'
import { isAddress } from './wire.ts'

export interface SenderOptions {
  readonly settings: Settings
  readonly memory: Memory
  readonly files: Files
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

/** After `finish` nothing more begins; it resolves when what was begun has its receipt. */
export type Sender = Required<Pick<Connection, 'send' | 'findSent'>> & Pick<SendGate, 'finish'>

const { notSent, refused, sent, unknown } = createReceipts(platform)

/** Wait after a 4xx: the server is busy, or wants to see us twice. */
const retryMs = 60_000

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    send: (message, call) => {
      if (options.signal.aborted || call.signal.aborted) return Promise.reject(notSent('the connection is gone'))
      return gate.run(() => deliver(options, message))
    },
    findSent: ({ key }, call) => findSent(options, key, call),
    finish: gate.finish,
  }
}

/** `onData` is called before a letter itself goes out. */
function openTransport({ smtp, username, password }: Settings, onData: () => void) {
  const ignore = (): void => undefined
  const listen = ({ tnx }: { readonly tnx?: unknown }, text: unknown): void => {
    if (tnx === 'client' && text === 'DATA') onData()
  }
  return createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'tls',
    // Without a word the library would go on unencrypted where the server offers nothing better.
    requireTLS: smtp.security === 'starttls',
    ignoreTLS: smtp.security === 'plain',
    auth: { user: username, pass: password },
    connectionTimeout: 20_000,
    greetingTimeout: 20_000,
    socketTimeout: 60_000,
    // An error does not say how far the letter came, the log does.
    transactionLog: true,
    logger: { level: ignore, trace: ignore, debug: listen, info: ignore, warn: ignore, error: ignore, fatal: ignore },
  })
}

/** What the library says about a failure. */
type SmtpError = Partial<Record<'message' | 'code' | 'command' | 'response', string> & { responseCode: number }>

const describe = ({ message = '', response }: SmtpError): string => (response ?? message).replace(/\s+/g, ' ').slice(0, 300)

/** Proves that the server takes mail of ours; rejects with a coded error. */
export async function verifySmtp(settings: Settings, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await withTimeLimit({ clock, signal, ms: 60_000, what: 'Logging in' }, () => openTransport(settings, () => undefined).verify())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const problem = error as SmtpError
    const isFinal = problem.code === 'EAUTH' && !(problem.responseCode !== undefined && problem.responseCode < 500)
    throw fail(isFinal ? 'PLATFORM_AUTH' : 'PLATFORM_UNREACHABLE', { platform, detail: describe(problem) }, { cause: error })
  }
}

async function deliver(options: SenderOptions, message: OutboundMessage): Promise<Receipt> {
  const to = message.conversation.replace(unverified, '')
  if (!isAddress(to)) return refused('the receiver is no e-mail address')
  if (message.text.trim() === '' && !message.media?.length) return refused('there is nothing to say')
  const letter = { ...writeLetter(options, message), to, attachments: await readFiles(options.files, message) }
  let isUnderWay = false
  const onData = (): void => {
    isUnderWay = true
  }
  try {
    const { messageId } = await openTransport(options.settings, onData).sendMail(letter)
    return sent(messageId)
  } catch (error) {
    const problem = error as SmtpError
    const detail = describe(problem)
    if (problem.responseCode !== undefined) return refused(detail, problem.responseCode < 500 ? retryMs : undefined)
    // What the library itself refuses was never tried.
    if (problem.command === 'API') return refused(detail)
    if (!isUnderWay) throw notSent(detail, error)
    return unknown(detail)
  }
}

/** A letter below the one that it answers. */
export function writeLetter({ settings, memory }: Pick<SenderOptions, 'settings' | 'memory'>, message: OutboundMessage) {
  const thread = memory.findThread(message.conversation, message.replyTo)
  const answered = thread?.messageId
  return {
    from: settings.address,
    subject: thread ? formatSubject(thread.subject) : settings.config.subject,
    text: message.text,
    messageId: formatMessageId(settings.address, message.key),
    ...(answered === undefined ? {} : { inReplyTo: answered }),
    references: [...(thread?.references ?? []), ...(answered === undefined ? [] : [answered])],
    headers: { 'Auto-Submitted': thread ? 'auto-replied' : 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

/** With one `Re:`, however many there were and in whatever language. */
export function formatSubject(subject: string): string {
  const bare = subject.replace(/^\s*((re|aw|antw|sv|vs|odp|ref|rif)(\[\d+\])?\s*[:：]\s*)+/i, '')
  return `Re: ${bare}`.trim()
}

async function readFiles(files: Files, { media = [] }: OutboundMessage) {
  const read = async ({ blob }: (typeof media)[number]) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of files.read(blob)) chunks.push(chunk)
    return { filename: blob.name ?? 'file', contentType: blob.mime, content: Buffer.concat(chunks) }
  }
  return Promise.all(media.map(read))
}

/** Servers of many providers keep what they send; what is found there was taken. What is not found may have been sent all the same. */
async function findSent({ settings, clock }: SenderOptions, key: string, { signal }: Call): Promise<Receipt> {
  const messageId = formatMessageId(settings.address, key)
  const client = await openImap(settings, signal)
  try {
    const mailbox = (await client.list()).find(({ specialUse }) => specialUse === '\\Sent')
    if (!mailbox) return unknown('the server keeps no sent mail')
    await client.mailboxOpen(mailbox.path, { readOnly: true })
    const found = await client.search({ header: { 'Message-ID': messageId } }, { uid: true })
    return found && found.length > 0 ? sent(messageId) : unknown('it is not among the sent mail')
  } finally {
    await closeImap(client, clock)
  }
}
