import PostalMime, { addressParser } from 'postal-mime'
import * as z from 'zod/mini'

/** The head of a message, decoded. */
export interface Head {
  readonly from: { readonly address: string; readonly name: string }
  /** False where more than one From is given, so that nobody can say who wrote. */
  readonly isSingle: boolean
  readonly subject: string
  readonly messageId: string | undefined
  readonly inReplyTo: string | undefined
  readonly references: readonly string[]
  readonly sentAt: number | undefined
  /** Values of all headers of a name, topmost first. */
  all(name: string): readonly string[]
}

/** Undefined where nobody is named as the writer. What cannot be decoded is left as it is. */
export async function parseHead(bytes: Uint8Array): Promise<Head | undefined> {
  const mail = await PostalMime.parse(Uint8Array.from(bytes))
  const all = (name: string): readonly string[] => mail.headers.filter(({ key }) => key === name).map(({ value }) => value)
  const [from = '', ...moreFrom] = all('from')
  const [writer, ...others] = addressParser(from, { flatten: true })
  const address = writer?.address?.trim().toLowerCase() ?? ''
  if (!isAddress(address)) return undefined
  const sentAt = Date.parse(mail.date ?? '')
  return {
    from: { address, name: mail.from?.name?.trim() ?? '' },
    isSingle: moreFrom.length === 0 && others.length === 0,
    subject: (mail.subject ?? '').replace(/\s+/g, ' ').trim(),
    messageId: findIds(mail.messageId ?? '')[0],
    inReplyTo: findIds(mail.inReplyTo ?? '')[0],
    references: findIds(mail.references ?? ''),
    sentAt: Number.isNaN(sentAt) ? undefined : sentAt,
    all,
  }
}

const findIds = (text: string): readonly string[] => text.match(/<[^<>\s]{1,900}>/g) ?? []

/** Takes what can be written to; nothing that could end a header or name a second receiver. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>()[\],;:\\"]{1,64}@[^\s@<>()[\],;:\\"]{1,255}$/.test(text)
}

export interface TextPart {
  /** Number of the part; `text` for a message that has only one. */
  readonly part: string
  readonly type: 'text/plain' | 'text/html'
  readonly charset: string
  readonly encoding: string
  readonly isFlowed: boolean
}

const boundary = '=_f3b0e4c19a5d4c52'

/** The words of one part, whatever its charset; of HTML only the text is left. */
export async function decodeText(part: TextPart, content: Uint8Array): Promise<string> {
  const quote = (text: string): string => text.replace(/[^\w.:+-]/g, '')
  const flowed = part.isFlowed ? '; format=flowed' : ''
  const head = `Content-Type: ${part.type}; charset="${quote(part.charset)}"${flowed}\r\nContent-Transfer-Encoding: ${quote(part.encoding)}`
  const { text = '', html } = await PostalMime.parse(new Uint8Array(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content])))
  return (html === undefined ? text : await stripHtml(withoutOpenEnds(withoutHidden(html))))
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The parser turns HTML into text where a message has both. */
async function stripHtml(html: string): Promise<string> {
  const plain = `--${boundary}\r\nContent-Type: text/plain\r\n\r\n\r\n`
  const marked = `--${boundary}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`
  const encoded = Buffer.from(html).toString('base64')
  const mail = await PostalMime.parse(
    `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${plain}${marked}${encoded}\r\n--${boundary}--\r\n`,
  )
  return mail.text ?? ''
}

/** Without what no reader sees: what follows such an opening, to the next closing. */
function withoutHidden(html: string): string {
  const [first = '', ...pieces] = html.split(/<(?=\/?(?:style|script|title)\b)/i)
  return first + pieces.map((piece) => (piece.startsWith('/') ? piece.slice(piece.indexOf('>') + 1) : '')).join('')
}

/** An opening without its end is text: the parser would look for the end through the whole rest, once for each of them. */
function withoutOpenEnds(html: string): string {
  const [first = '', ...pieces] = html.split('<')
  return first + pieces.map((piece) => (piece.includes('>') ? `<${piece}` : `&lt;${piece}`)).join('')
}

/** Where a letter lies on the server. */
export interface Place {
  readonly mailbox: string
  readonly validity: string
  readonly uid: number
}

/** Where a file lies in a letter. */
export type FilePlace = Place & { readonly part: string }

export const formatFileId = ({ mailbox, validity, uid, part }: FilePlace): string =>
  `${validity}/${uid}/${part}/${encodeURIComponent(mailbox)}`

export function parseFileId(text: string): FilePlace | undefined {
  const [, validity = '', uid = '', part = '', mailbox = ''] = /^(\d+)\/(\d+)\/([\d.]+)\/(\S+)$/.exec(text) ?? []
  return validity === '' ? undefined : { validity, uid: Number(uid), part, mailbox: decodeURIComponent(mailbox) }
}

const cursor = z.object({ validity: z.string(), uid: z.number() })

/** How far a mailbox has been read. */
export type Cursor = z.output<typeof cursor>

const thread = z.object({
  conversation: z.string(),
  /** `InboundMessage.id`. */
  id: z.string(),
  messageId: z.optional(z.string()),
  references: z.array(z.string()),
  subject: z.string(),
})

/** What an answer needs to stand below the message that it answers. */
export type Thread = z.output<typeof thread>

export const parseCursor = (value: unknown): Cursor | undefined => cursor.safeParse(value).data
export const parseThreads = (value: unknown): readonly Thread[] => z.array(thread).safeParse(value).data ?? []
