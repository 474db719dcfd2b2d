import { parseResults } from '../src/authentication.ts'
import { cutHistory } from '../src/own-words.ts'
import { decodeText, parseHead } from '../src/wire.ts'

const html = { part: '1', type: 'text/html', charset: 'utf-8', encoding: '8bit', isFlowed: false } as const

/** What reads mail of strangers, for the run that reads hard texts. */
export const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'quoted mail': cutHistory,
  'proofs of mail': parseResults,
  'heads of mail': (text) => parseHead(Buffer.from(`subject: ${text}\r\n\r\n`)),
  'html mail': (text) => decodeText(html, Buffer.from(text)),
}
