import { Lexer, type Token } from 'marked'

export interface Blocks {
  /** Blocks that no later text can change. */
  readonly closed: readonly Token[]
  /** Where the open part of the text begins. */
  readonly at: number
  /** The text that was read. */
  readonly text: string
  readonly open: readonly Token[]
}

export const noBlocks: Blocks = { closed: [], at: 0, text: '', open: [] }

/** Reads on from the last closed block: a text that grows costs what was added. Another text is read from its beginning. */
export function readBlocks(before: Blocks, written: string): Blocks {
  const text = written.replace(/\r\n?/g, '\n')
  if (text === before.text) return before
  const { closed, at } = text.startsWith(before.text) ? before : noBlocks
  const tokens = new Lexer({ gfm: true }).lex(text.slice(at))
  const done = tokens.slice(0, -1)
  const length = done.reduce((sum, token) => sum + token.raw.length, 0)
  return { closed: done.length === 0 ? closed : [...closed, ...done], at: at + length, text, open: tokens.slice(-1) }
}

/** Addresses that may be opened: the web, mail, and places of this page. */
export function isSafeLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|#|\/(?!\/))/i.test(href)
}
