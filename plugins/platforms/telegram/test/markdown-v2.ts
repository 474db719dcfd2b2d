/** A run of the parsed text. */
export interface ParsedEntity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
}

export interface ParsedText {
  readonly text: string
  readonly entities: readonly ParsedEntity[]
}

interface Open {
  readonly type: string
  readonly offset: number
  readonly at: number
}

interface Scan {
  readonly source: string
  at: number
  text: string
  readonly open: Open[]
  readonly entities: ParsedEntity[]
}

/** Longer signs first: where two are meant, Telegram reads the longer one. */
const pairs: readonly (readonly [sign: string, type: string])[] = [
  ['__', 'Underline'],
  ['||', 'Spoiler'],
  ['_', 'Italic'],
  ['*', 'Bold'],
  ['~', 'Strikethrough'],
]
const reserved = '_*[]()~`>#+-=|{}.!'

/** Reads MarkdownV2 as the Bot API does; throws the words of its refusal. */
export function parseMarkdownV2(source: string): ParsedText {
  const scan: Scan = { source, at: 0, text: '', open: [], entities: [] }
  while (scan.at < source.length) step(scan)
  closeQuote(scan)
  const [unclosed] = scan.open
  if (unclosed) throw new Error(`can't parse entities: Can't find end of ${unclosed.type} entity at byte offset ${unclosed.at}`)
  return { text: scan.text, entities: scan.entities.filter(({ length }) => length > 0) }
}

function step(scan: Scan): void {
  const { source, at } = scan
  const character = source[at] ?? ''
  const isEscape = character === '\\' && at + 1 < source.length
  if (character === '\n' && source[at + 1] !== '>') closeQuote(scan)
  if (isEscape) take(scan, source[at + 1] ?? '', 2)
  else findRead(scan, character)(scan)
}

/** What begins or ends at a character. */
function findRead({ source, at, open }: Scan, character: string): (scan: Scan) => void {
  const isLineStart = at === 0 || source[at - 1] === '\n'
  if (character === '>' && isLineStart) return openQuote
  if (source.startsWith('```', at)) return readPre
  if (character === '`') return readCode
  if (character === '[') return (scan) => begin(scan, 'TextUrl', 1)
  if (character === ']' && open.at(-1)?.type === 'TextUrl') return readLink
  const pair = pairs.find(([sign]) => source.startsWith(sign, at))
  if (pair) return (scan) => toggle(scan, pair)
  if (!reserved.includes(character)) return (scan) => take(scan, character, 1)
  throw new Error(`can't parse entities: Character '${character}' is reserved and must be escaped with the preceding '\\'`)
}

function take(scan: Scan, text: string, length: number): void {
  scan.text += text
  scan.at += length
}

function begin(scan: Scan, type: string, length: number): void {
  scan.open.push({ type, offset: scan.text.length, at: scan.at })
  scan.at += length
}

function finish(scan: Scan, more: { url?: string; language?: string } = {}): void {
  const { type, offset } = scan.open.pop() ?? { type: '', offset: 0 }
  scan.entities.push({ type, offset, length: scan.text.length - offset, ...more })
}

function toggle(scan: Scan, [sign, type]: readonly [string, string]): void {
  if (scan.open.at(-1)?.type === type) {
    finish(scan)
    scan.at += sign.length
  } else {
    begin(scan, type, sign.length)
  }
}

function openQuote(scan: Scan): void {
  if (scan.open.some(({ type }) => type === 'Blockquote')) {
    scan.at += 1
    return
  }
  if (scan.open.length > 0) throw new Error("can't parse entities: Block quote can't be nested")
  begin(scan, 'Blockquote', 1)
}

function closeQuote(scan: Scan): void {
  if (scan.open.at(-1)?.type === 'Blockquote') finish(scan)
}

function until(scan: Scan, from: number, end: string, type: string): readonly [text: string, next: number] {
  let text = ''
  for (let at = from; at < scan.source.length; at += 1) {
    if (scan.source.startsWith(end, at)) return [text, at + end.length]
    if (scan.source[at] === '\\') at += 1
    text += scan.source[at] ?? ''
  }
  throw new Error(`can't parse entities: Can't find end of ${type} entity at byte offset ${scan.at}`)
}

function readPre(scan: Scan): void {
  const [inner, next] = until(scan, scan.at + 3, '```', 'Pre')
  const [, language = '', text = ''] = /^([^\s`]*)\n([\s\S]*)$/.exec(inner) ?? [undefined, '', inner]
  begin(scan, 'Pre', 0)
  scan.text += text
  finish(scan, language === '' ? {} : { language })
  scan.at = next
}

function readCode(scan: Scan): void {
  const [text, next] = until(scan, scan.at + 1, '`', 'Code')
  begin(scan, 'Code', 0)
  scan.text += text
  finish(scan)
  scan.at = next
}

function readLink(scan: Scan): void {
  if (scan.source[scan.at + 1] !== '(') throw new Error("can't parse entities: Character ']' is reserved and must be escaped")
  const [url, next] = until(scan, scan.at + 2, ')', 'TextUrl')
  finish(scan, { url })
  scan.at = next
}
