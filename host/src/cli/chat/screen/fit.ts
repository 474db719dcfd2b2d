import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'fast-string-width'

/** A line that takes no more columns than there are: what is too long loses its colours with its end. */
export function fit(line: string, columns: number): string {
  if (stringWidth(line) <= columns) return line
  let shown = ''
  let width = 1
  for (const { segment } of new Intl.Segmenter().segment(stripVTControlCharacters(line))) {
    width += stringWidth(segment)
    if (width > columns) break
    shown += segment
  }
  return `${shown}…`
}
