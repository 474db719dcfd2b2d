import type { Sender } from '@agent/plugin-sdk'

const longestName = 240
/** Control characters, line breaks of every kind, and marks that turn the direction of text. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu

/** Somebody's name as a quoted word on one line: whatever they call themselves, it stays a name. */
export function quoteName({ name, id }: Pick<Sender, 'name' | 'id'>): string {
  const clean = (name ?? '').replace(invisible, ' ').trim() || id.replace(invisible, ' ').trim()
  return JSON.stringify([...clean].slice(0, longestName).join(''))
}

/** What somebody said as a quoted word on one line. */
export function quoteText(text: string, longest: number): string {
  const clean = text.replace(/\r?\n/g, '\n').replace(/[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
  const cut = [...clean]
  return JSON.stringify(cut.length > longest ? `${cut.slice(0, longest).join('')}…` : clean)
}

/** The lines of a message below a heading of ours: none of them can be taken for a heading. */
export function indentHeadings(text: string): string {
  return text.replace(/(^|[\r\n\u2028\u2029])(\[)/g, '$1 $2')
}
