/** How large a JSON value may be. */
export interface JsonLimits {
  /** Deeper than the default nobody nests, and it is far from where writing a value as text overflows the stack. */
  readonly deepest?: number
  /** The default is for what strangers send: each value costs many times the bytes that it is written with. */
  readonly mostValues?: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Why a JSON text is not to be parsed; undefined where nothing speaks against it. Looks at each character once and keeps nothing. */
export function findJsonExcess(text: string, { deepest = 100, mostValues = 200_000 }: JsonLimits = {}): string | undefined {
  if (text.length <= Math.min(deepest, mostValues)) return undefined
  // Each value takes a character, and each level an opening bracket: most texts are too short and too flat for the long look.
  if (text.length < mostValues && !hasMore(text, '[', '{', deepest)) return undefined
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    const step = stepOf(code)
    depth += step
    if (code === comma || step > 0) values++
    if (depth > deepest) return `it is nested deeper than ${deepest} levels`
    if (values > mostValues) return `it holds more than ${mostValues} values`
  }
  return undefined
}

/** How many levels deeper a character leads. */
function stepOf(code: number): number {
  if (code === openList || code === openObject) return 1
  return code === closeList || code === closeObject ? -1 : 0
}

function hasMore(text: string, one: string, other: string, most: number): boolean {
  let left = most
  for (const sign of [one, other]) {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) if (--left < 0) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
