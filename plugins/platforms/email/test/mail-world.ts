import { type ImapServer, openImapServer } from './imap-server.ts'
import { openSmtpServer, type SmtpServer } from './smtp-server.ts'

/** A letter of somebody. */
export interface Written {
  readonly text: string
  /** Lines of the head besides the usual ones; those of the same name take their place. */
  readonly head?: readonly string[]
  /** Answers something, so that the subject says nothing new. */
  readonly isAnswer?: boolean
  readonly file?: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }
}

export interface Read {
  readonly head: string
  readonly text: string
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

/** Both servers of a provider that keeps what it sends. */
export interface MailWorld extends AsyncDisposable {
  readonly imap: ImapServer
  readonly smtp: SmtpServer
  /** A port that takes connections and never answers. */
  readonly silentPort: number
  readonly extra: {
    readonly imap_port: number
    readonly smtp_port: number
    readonly imap_security: 'plain'
    readonly smtp_security: 'plain'
  }
  secrets(password: string): Record<string, string>
  /** Ann writes to the agent. */
  write(letter: Written): void
  /** What people got of the agent; or only one of them. */
  sent(address?: string): readonly Read[]
}

export async function openMailWorld(): Promise<MailWorld> {
  const imap = await openImapServer('right-password')
  const silent = await openImapServer('')
  silent.faults.isSilent = true
  const smtp = await openSmtpServer('right-password', ({ source }) => imap.append('Sent', Buffer.from(source, 'latin1')))
  let count = 0
  return {
    imap,
    smtp,
    silentPort: silent.port,
    extra: { imap_port: imap.port, smtp_port: smtp.port, imap_security: 'plain', smtp_security: 'plain' },
    secrets: (password) => ({
      EMAIL_ADDRESS: 'agent@example.org',
      EMAIL_PASSWORD: password,
      EMAIL_IMAP_HOST: '127.0.0.1',
      EMAIL_SMTP_HOST: '127.0.0.1',
    }),
    write: (letter) => {
      count += 1
      imap.append('INBOX', formatLetter(letter, count))
    },
    sent: (address) => smtp.taken.filter(({ to }) => address === undefined || to === address).map(({ source }) => readLetter(source)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([imap, silent, smtp].map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

function formatLetter({ text, head = [], isAnswer = false, file }: Written, count: number): string {
  const usual = [
    'From: Ann <ann@example.org>',
    'To: agent@example.org',
    `Message-ID: <ann-${count}@example.org>`,
    'Subject: Lunch',
    'Date: Sat, 21 Nov 2026 10:00:00 +0000',
    ...(isAnswer ? ['In-Reply-To: <earlier@example.org>'] : []),
  ]
  const nameOf = (line: string): string => line.slice(0, line.indexOf(':')).toLowerCase()
  const given = new Set(head.map(nameOf))
  const lines = [...head, ...usual.filter((line) => !given.has(nameOf(line)))].filter((line) => !line.endsWith(': '))
  if (!file) return [...lines, '', text, ''].join('\r\n')
  return [
    ...lines,
    'Content-Type: multipart/mixed; boundary="cut"',
    '',
    '--cut',
    'Content-Type: text/plain; charset="utf-8"',
    '',
    text,
    '--cut',
    `Content-Type: ${file.mime}`,
    `Content-Disposition: attachment; filename="${file.name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(file.bytes).toString('base64'),
    '--cut--',
    '',
  ].join('\r\n')
}

/** Reads what nodemailer writes: one text, and files in base64 beside it. */
function readLetter(source: string): Read {
  const end = source.indexOf('\r\n\r\n')
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1]
  if (boundary === undefined && head.includes('Content-Disposition')) return { head, text: '', files: [readFile(source)] }
  if (boundary === undefined) return { head, text: decode(source), files: [] }
  const parts = source
    .slice(end)
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^\r\n/, ''))
  return { head, text: decode(parts[0] ?? ''), files: parts.slice(1).map(readFile) }
}

function readFile(part: string): Read['files'][number] {
  const name = /filename="?([^"\r\n;]+)/.exec(part)?.[1] ?? ''
  return { name, bytes: Buffer.from(part.slice(part.indexOf('\r\n\r\n')), 'base64') }
}

function decode(part: string): string {
  const end = part.indexOf('\r\n\r\n')
  const body = part.slice(end + 4)
  const encoding = /content-transfer-encoding: (\S+)/i.exec(part.slice(0, end))?.[1]
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString().trim()
  if (encoding !== 'quoted-printable') return body.trim()
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString().trim()
}
