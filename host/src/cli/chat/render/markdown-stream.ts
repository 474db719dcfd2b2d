import type { TextStream } from './contract.ts'
import { closeLeaf } from './leaves.ts'
import type { Page } from './page.ts'
import { type Line, print, type Style } from './style.ts'
import { closeTo, takePiece } from './take-line.ts'
import { foldLine } from './wrap.ts'

export interface MarkdownOptions {
  readonly columns: () => number
  readonly colour: boolean
  /** The style of all of it. */
  readonly style?: Style
}

/** A line that is longer is read in pieces, so that what is not finished stays small. */
const longLine = 120
/** What may be a row of a table is read as a whole. */
const longRow = 4_000

/** Lays out Markdown while it comes. Where it is cut does not matter to the lines that it finishes. */
export function createMarkdownStream({ columns, colour, style = '' }: MarkdownOptions): TextStream {
  let page = openPage({ columns, colour, style })
  /** The end of the text that is not read yet, and whether it begins a line. */
  let open = ''
  let isStart = true
  const finished = (): readonly string[] => page.lines.splice(0).map((line) => print(line, colour))
  const take = (text: string, isEnd: boolean): void => {
    takePiece(page, { text: clean(text, isStart), isStart, isEnd })
    isStart = isEnd
  }
  const readOn = (): void => {
    let at = 0
    for (let end = pieceEnd(open, at); end; end = pieceEnd(open, at)) {
      take(open.slice(at, end.at), end.isLine)
      at = end.isLine ? end.at + 1 : end.at
    }
    open = open.slice(at)
  }
  return {
    push: (text) => {
      open += text
      readOn()
      return finished()
    },
    tail: () => {
      const draft = { ...page, lines: [], isDraft: true }
      const rest = open.replace(/[\ud800-\udbff]$/, '')
      if (rest !== '' && !isOnlyMarks(rest, isStart)) takePiece(draft, { text: clean(rest, isStart), isStart, isEnd: true })
      closeTo(draft, 0)
      return draft.lines.flatMap((line) => foldLine(line, columns())).map((line) => print(line, colour))
    },
    end: () => {
      if (open !== '') take(open, true)
      closeLeaf(page)
      closeTo(page, 0)
      const lines = finished()
      page = openPage({ columns, colour, style })
      open = ''
      isStart = true
      return lines
    },
  }
}

function openPage(options: Pick<Page, 'columns' | 'colour' | 'style'>): Page {
  const empty = { lines: [] as Line[], containers: [], leaf: undefined, gap: undefined, isStarted: false }
  return { ...options, ...empty, isDraft: false, rowMemory: new WeakMap() }
}

/** Where the next piece of a text ends; undefined where that is not known yet. */
function pieceEnd(text: string, from: number): { readonly at: number; readonly isLine: boolean } | undefined {
  const end = text.indexOf('\n', from)
  const length = (end < 0 ? text.length : end) - from
  const most = text.slice(from, from + longLine).includes('|') ? longRow : longLine
  if (length > most) {
    const space = text.slice(from + most, from + 2 * most).search(/\s/)
    if (space >= 0 && (end < 0 || from + most + space < end)) return { at: from + most + space, isLine: false }
    if (length > 2 * most)
      return { at: from + 2 * most - (/[\ud800-\udbff]/.test(text.charAt(from + 2 * most - 1)) ? 1 : 0), isLine: false }
  }
  return end < 0 ? undefined : { at: end, isLine: true }
}

function clean(text: string, isStart: boolean): string {
  const line = text.replace(/\r$/, '').replaceAll('\r', ' ')
  return isStart ? line.replace(/^[ \t]+/, (blank) => blank.replaceAll('\t', '    ')) : line
}

/** A sign of which nobody knows yet what it begins. */
function isOnlyMarks(text: string, isStart: boolean): boolean {
  return isStart && /^\s*[-*+#>|`~=_]+\s*$/.test(text)
}
