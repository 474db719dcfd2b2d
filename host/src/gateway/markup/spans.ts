/** What is not to be parted: a link or a piece of code. */
export interface Span {
  readonly start: number
  /** Behind its last character. */
  readonly end: number
}

const longestAddress = 2000

/**
 * Links and pieces of code in the order in which they stand. Where the address of a link ends is looked for once for all links before that place:
 * where one `[a](` stands behind another, looking again for each of them would take long.
 */
export function* spansOf(text: string): Iterable<Span> {
  // Each try ends at the next sign that may begin another one. A link is found up to its address.
  const finder = /`[^`\n]+`|(!?\[[^[\]\n]*\]\()|https?:\/\/[^\s)>\]]+/g
  const stops = /[)\s]/g
  let stop = -1
  for (let found = finder.exec(text); found !== null; found = finder.exec(text)) {
    const start = found.index
    if (found[1] === undefined) {
      yield { start, end: finder.lastIndex }
      continue
    }
    const address = finder.lastIndex
    stops.lastIndex = address
    if (stop < address) stop = stops.exec(text)?.index ?? text.length
    const isLink = text[stop] === ')' && stop - address <= longestAddress
    // What is no link may hold a piece of code.
    finder.lastIndex = isLink ? stop + 1 : start + 1
    if (isLink) yield { start, end: stop + 1 }
  }
}
