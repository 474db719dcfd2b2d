/**
 * What somebody wrote above or below the letter that is answered, without that letter and without a signature. The whole text where nobody can
 * tell these apart: where something is forwarded, or answered line by line.
 */
export function cutHistory(text: string): string {
  const lines = text.split('\n')
  if (lines.some((line) => forwards.test(line))) return text
  const own = cutSignature(cutQuoted(lines)).join('\n').trim()
  return own === '' ? text : own
}

const forwards =
  /^[\s>]*(-{2,} ?(forwarded message|weitergeleitete nachricht)|begin forwarded message:|anfang der weitergeleiteten (nachricht|e-mail):)/i

/** Longest line of a program that says who wrote when, as it is broken into lines. */
const mostAttributed = 300
const mostBroken = 3

/** What stands before a quotation: Gmail, Apple Mail and Thunderbird in English and German. */
const attributions = [/^On\s.+\swrote:$/i, /^(Am|On)\s.+\sschrieb(\s.+)?:$/i, /^.+\sschrieb am\s.+:$/i, /^.+\swrote on\s.+:$/i]

/** What stands before it in Outlook. */
const divider = /^(-{3,} ?(Original Message|Ursprüngliche Nachricht|Original-Nachricht) ?-{3,}|_{20,})$/i
const headNames = [/^\*?(From|Von):/i, /^\*?(Sent|Date|Gesendet|Datum):/i, /^\*?(To|An|Cc|Subject|Betreff):/i]
const isHead = (lines: readonly string[]): boolean => headNames.every((name, index) => name.test(lines[index] ?? ''))

const isQuoted = (line: string): boolean => line.startsWith('>')

interface Opening {
  /** The line with which what is quoted begins, and the first that is none of its head any more. */
  readonly start: number
  readonly end: number
}

function cutQuoted(lines: readonly string[]): readonly string[] {
  const opening = findOpening(lines)
  if (!opening) return withoutLastQuote(lines)
  const before = lines.slice(0, opening.start)
  const first = lines.slice(opening.end).find((line) => line !== '')
  if (first === undefined || !isQuoted(first)) return before
  const after = lines.slice(opening.end)
  const end = after.findIndex((line) => line !== '' && !isQuoted(line))
  const below = end < 0 ? [] : after.slice(end)
  return below.some(isQuoted) ? lines : [...before, ...below]
}

/** A quotation that nobody introduces, at the end. */
function withoutLastQuote(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== '' && !isQuoted(line))
  return lines.slice(0, last + 1).some(isQuoted) ? lines : lines.slice(0, last + 1)
}

function findOpening(lines: readonly string[]): Opening | undefined {
  for (const [start, line] of lines.entries()) {
    if (
      divider.test(line) &&
      isHead(
        lines
          .slice(start + 1)
          .filter((one) => one !== '')
          .slice(0, 3),
      )
    )
      return { start, end: lines.length }
    if (divider.test(line) && !line.startsWith('_')) return { start, end: lines.length }
    if (isHead(lines.slice(start, start + 3))) return { start, end: lines.length }
    const end = endOfAttribution(lines, start)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

/** The line that says who wrote when may be broken, and may itself be quoted. */
function endOfAttribution(lines: readonly string[], start: number): number | undefined {
  if (lines[start] === '') return undefined
  for (let count = 1; count <= mostBroken; count += 1) {
    const piece = lines.slice(start, start + count).map((line) => line.replace(/^> ?/, ''))
    const joined = piece.join(' ')
    if (joined.length > mostAttributed || piece.at(-1) === '') return undefined
    // Without a time it is a sentence of somebody.
    if (/\d{1,2}[:.]\d{2}/.test(joined) && attributions.some((one) => one.test(joined))) return start + count
  }
  return undefined
}

/** A signature begins with two dashes, and has some lines only. */
const mostSigned = 15
const written =
  /^(sent (from|via) (my |outlook |mail |yahoo |proton ).{0,40}|get outlook for .{0,60}|(von meinem .{0,40} )?gesendet( von (meinem |mail |outlook ).{0,40})?|(holen sie sich )?outlook für .{0,60}|diese nachricht wurde von meinem .{0,40} gesendet\.?)$/i

function cutSignature(lines: readonly string[]): readonly string[] {
  const dashes = lines.lastIndexOf('--')
  const isSigned = dashes >= 0 && lines.length - dashes <= mostSigned
  const rest = isSigned ? lines.slice(0, dashes) : lines
  const last = rest.findLastIndex((line) => line !== '')
  return last > 0 && written.test(rest[last] ?? '') ? rest.slice(0, last) : rest
}
