import type { PlatformManifest } from '@agent/plugin-sdk'
import { spansOf } from './spans.ts'

type Limits = Pick<PlatformManifest['limits'], 'maxLength' | 'unit' | 'maxLines'>

const encoder = new TextEncoder()
const measures: { [Unit in Limits['unit']]: (text: string) => number } = {
  characters: countCharacters,
  utf16: (text) => text.length,
  bytes: (text) => encoder.encode(text).length,
}

function countCharacters(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    if (!isLowSurrogate(text.charCodeAt(at)) || !isHighSurrogate(text.charCodeAt(at - 1))) continue
    count--
    at++
  }
  return count
}

/** How long a text is by the measure of a platform. */
export function measureText(text: string, unit: Limits['unit']): number {
  return measures[unit](text)
}

/** Room kept for closing a code fence at the end of a part and opening it again in the next. */
const fenceReserve = 24

/** Cuts an answer into parts that fit the platform: at a line break if one is near, else at a space, never inside a character. */
export function chunkText(text: string, limits: Limits): readonly string[] {
  const measure = measures[limits.unit]
  const parts: string[] = []
  let rest = text
  let fence: string | undefined
  while (rest !== '') {
    const opening: string = fence === undefined ? '' : `${fence}\n`
    const room = limits.maxLength - measure(opening) - (limits.maxLength > 4 * fenceReserve ? fenceReserve : 0)
    // No measure counts a text as less than half of its length: what is much too long is not measured again for each part.
    const isLast = rest.length <= 2 * limits.maxLength && measure(opening + rest) <= limits.maxLength
    const fitting = isLast ? rest.length : cutAt(rest, room, measure)
    const end = endOfLines(rest, fitting, limits.maxLines)
    const cut = cutOff(rest, end, fence)
    parts.push(`${opening}${cut.part}`)
    rest = cut.rest
    fence = cut.fence
  }
  return parts.filter((part) => part.trim() !== '')
}

interface Cut {
  readonly part: string
  readonly rest: string
  /** What the next part opens. */
  readonly fence: string | undefined
}

/** Cuts a text in two; `before` is the fence that is open where it begins. Code that is cut is closed. */
function cutOff(text: string, end: number, before: string | undefined): Cut {
  const piece = text.slice(0, end)
  const fence = openFence(before, piece)
  const rest = text.slice(end).replace(/^[ \n]/, '')
  if (fence === undefined || end === text.length) return { part: piece.trimEnd(), rest, fence }
  const shown = text[end] === '\n' ? withoutEmptyFence(piece) : piece
  if (openFence(before, shown) === undefined) return { part: shown.trimEnd(), rest, fence }
  // What is closed here needs its own end no more.
  const ending = /^```[^\n`]*(?:\n|$)/.exec(rest)
  return { part: `${shown.trimEnd()}\n\`\`\``, rest: rest.slice(ending?.[0].length ?? 0), fence: ending ? undefined : fence }
}

/** A fence with nothing behind it would be closed at once: only the next part opens it. */
const withoutEmptyFence = (piece: string): string => piece.trimEnd().replace(/(?:^|\n)```[^\n`]*$/, '')

/** Index of the line break behind so many lines with text in them; `most` where there is none before it. */
function endOfLines(text: string, most: number, lines = Number.POSITIVE_INFINITY): number {
  let left = lines
  for (let start = 0; left < Number.POSITIVE_INFINITY; ) {
    const end = text.indexOf('\n', start)
    if (end === -1 || end >= most) break
    if (text.slice(start, end).trim() !== '' && --left === 0) return end
    start = end + 1
  }
  return most
}

/** Index after the longest piece that fits: behind the last line break of its second half, else its last space, else hard. */
function cutAt(text: string, room: number, measure: (text: string) => number): number {
  let low = 1
  let high = Math.min(text.length, Math.max(room, 1))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure(text.slice(0, middle)) <= room) low = middle
    else high = middle - 1
  }
  const end = Math.max(isLowSurrogate(text.charCodeAt(low)) ? low - 1 : low, 1)
  const line = text.lastIndexOf('\n', end - 1)
  if (line > end / 2) return outsideSpan(text, line, end)
  const space = text.lastIndexOf(' ', end - 1)
  return outsideSpan(text, space > end / 2 ? space : end, end)
}

/** A link or a piece of code that the cut would part goes to the next piece whole, where it would fit there. */
function outsideSpan(text: string, cut: number, room: number): number {
  // A span that reaches over the cut begins at most one room before it.
  const from = Math.max(text.lastIndexOf('\n', cut - 1) + 1, cut - room)
  for (const span of spansOf(text.slice(from, cut + room))) {
    const start = from + span.start
    if (start >= cut) break
    if (from + span.end > cut && start > 0 && span.end - span.start <= room) return start
  }
  return cut
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The code fence that is open after this piece, as it was written. */
function openFence(before: string | undefined, piece: string): string | undefined {
  let open = before
  for (const [fence] of piece.matchAll(/^```[^\n`]*$/gm)) open = open === undefined ? fence : undefined
  return open
}
