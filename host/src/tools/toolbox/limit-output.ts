/** Cuts a long text in the middle: the first and the last part stay, and a line between them says how much is missing. */
export function limitOutput(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, whole(text, Math.floor(limit * 0.4)))
  const tail = text.slice(whole(text, text.length - (limit - head.length)))
  const missing = text.length - head.length - tail.length
  return `${head}\n… ${missing} characters left out …\n${tail}`
}

/** The nearest place at or before `at` that does not split a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
