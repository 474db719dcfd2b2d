/** What a page says, on one line, not longer than told, and without what only this program writes. A copy: nothing holds the whole text. */
export function plain(text: string, most: number): string {
  const beginning = text.slice(0, most * 4)
  const line = beginning
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll('[@e', '[ @e')
  const isCut = line.length > most || beginning.length < text.length
  return Buffer.from(isCut ? `${line.slice(0, most)}…` : line).toString()
}

/** The same in quotes, so that it is no line of this program. */
export function quote(text: string, most: number): string {
  return JSON.stringify(plain(text, most))
}
