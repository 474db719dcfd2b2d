/** Cuts a long page between two lines: three quarters of what stays is its beginning. */
export function cutPage(text: string, most: number): string {
  if (text.length <= most) return text
  const head = text.slice(0, lineEndBefore(text, Math.floor(most * 0.75)))
  const tail = text.slice(lineStartAfter(text, text.length - Math.floor(most * 0.25)))
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`
}

/** The last end of a line in the second half before `at`; a text without lines is cut where it is. */
function lineEndBefore(text: string, at: number): number {
  const found = text.lastIndexOf('\n', at)
  return found > at / 2 ? found : whole(text, at)
}

function lineStartAfter(text: string, at: number): number {
  const found = text.indexOf('\n', at)
  return found !== -1 && found - at < (text.length - at) / 2 ? found + 1 : whole(text, at)
}

/** The nearest place that does not split a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}
