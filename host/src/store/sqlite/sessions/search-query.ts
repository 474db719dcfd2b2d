/**
 * What a person typed, as a query that FTS5 cannot misread: each word and phrase is quoted, so that a hyphen, a colon or a
 * lone quote is text. Words are all wanted; `prefix*` stays a prefix. Null when nothing searchable is left.
 */
export function formatSearchQuery(typed: string): string | null {
  const terms: string[] = []
  for (const match of typed.normalize('NFC').matchAll(/"([^"]*)"|([^\s"]+)/gu)) {
    const text = match[1] ?? match[2] ?? ''
    if (!/[\p{L}\p{N}]/u.test(text)) continue
    const isPrefix = match[2] !== undefined && text.endsWith('*')
    terms.push(`"${text.replaceAll('*', ' ').replaceAll('\0', ' ').trim()}"${isPrefix ? '*' : ''}`)
  }
  return terms.length === 0 ? null : terms.join(' ')
}
