import { detailOf } from '@agent/plugin-sdk/errors'

/** What of a message is looked at: a wake word stands near its beginning, and a slow pattern stays short. */
const longestText = 500
const longestPattern = 200
const mostUnbounded = 2

export interface MentionPatterns {
  match(text: string): boolean
  /** Patterns that are not used, with the reason. */
  readonly refused: readonly { readonly pattern: string; readonly reason: string }[]
}

/** Wake words of a platform: a list, or text with one pattern per line or comma, or a JSON list. */
export function compileMentionPatterns(written: readonly string[] | string): MentionPatterns {
  const compiled: RegExp[] = []
  const refused: { pattern: string; reason: string }[] = []
  for (const pattern of typeof written === 'string' ? splitPatterns(written) : written) {
    const reason = findRisk(pattern)
    if (reason === undefined) compilePattern(pattern, compiled, refused)
    else refused.push({ pattern, reason })
  }
  return { match: (text) => compiled.some((one) => one.test(text.slice(0, longestText))), refused }
}

function compilePattern(pattern: string, compiled: RegExp[], refused: { pattern: string; reason: string }[]): void {
  try {
    compiled.push(new RegExp(pattern, 'iu'))
  } catch (error) {
    refused.push({ pattern, reason: detailOf(error) })
  }
}

function splitPatterns(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed.filter((one): one is string => typeof one === 'string' && one !== '')
  } catch {
    // No JSON, so it is text, which may begin with a class.
  }
  return text
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Why a pattern could take for ever on some text. */
function findRisk(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `it is longer than ${longestPattern} characters`
  const plain = withoutEscapes(pattern)
  if (plain.includes('\\')) return 'it refers back to a group'
  if (repeatsVariety(plain)) return 'it repeats a group that repeats or branches'
  const unbounded = plain.split(/[*+]|\{\d*,\}/).length - 1
  return unbounded > mostUnbounded ? `it has more than ${mostUnbounded} open repetitions` : undefined
}

/** Whether a group is repeated that can itself be matched in more than one way. */
function repeatsVariety(plain: string): boolean {
  // Depths whose group can be matched in more than one way, as far as it was read.
  const varying = new Set<number>()
  let depth = 0
  for (const [sign] of plain.matchAll(/\((?:\?(?:<?[=!:]|<\w+>))?|\)?(?:[*+?]|\{\d*,?\d*\})\??|\)|\|/g)) {
    if (sign.startsWith('(')) {
      depth++
      varying.delete(depth)
      continue
    }
    const repeats = /[*+]|\{\d*,\d*\}|\{\d{2,}\}/.test(sign)
    const closed = sign.startsWith(')') && varying.has(depth)
    if (repeats && closed) return true
    if (sign.startsWith(')')) depth--
    if (closed || repeats || sign.includes('?') || sign === '|') varying.add(depth)
  }
  return false
}

/** Escapes and classes stand for one character each, whatever is in them; what refers back keeps its backslash. */
function withoutEscapes(pattern: string): string {
  return pattern
    .replace(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}/g, 'x')
    .replace(/\\(.)/g, (_, escaped: string) => (/[1-9k]/.test(escaped) ? '\\' : 'x'))
    .replace(/\[[^\]]*\]/g, 'x')
}
