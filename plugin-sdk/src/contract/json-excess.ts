export interface JsonLimits {
  /** Deeper than the default nobody nests, and it is far from where writing a value as text overflows the stack. */
  readonly deepest?: number
  /** The default is for what strangers send: each value costs many times the bytes that it is written with. */
  readonly mostValues?: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/** Why a JSON text is not to be parsed; undefined where nothing speaks against it. Looks at each character once and keeps nothing. */
export function findJsonExcess(text: string, { deepest = 100, mostValues = 1_000_000 }: JsonLimits = {}): string | undefined {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma) values++
    else if (openers.has(code)) {
      depth++
      values++
    } else if (closers.has(code)) depth--
    if (depth > deepest) return `it is nested deeper than ${deepest} levels`
    if (values > mostValues) return `it holds more than ${mostValues} values`
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
