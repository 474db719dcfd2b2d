import type { PlatformManifest } from '@agent/plugin-sdk'

type Limits = Pick<PlatformManifest['limits'], 'maxLength' | 'unit'>

const encoder = new TextEncoder()
const measures: { [Unit in Limits['unit']]: (text: string) => number } = {
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
  bytes: (text) => encoder.encode(text).length,
}

/** Room kept for closing a code fence at the end of a part and opening it again in the next. */
const fenceReserve = 24

/** Cuts an answer into parts that fit the platform: at a line break if one is near, else at a space, never inside a character. */
export function chunkText(text: string, limits: Limits): readonly string[] {
  const measure = measures[limits.unit]
  if (measure(text) <= limits.maxLength) return text === '' ? [] : [text]
  const parts: string[] = []
  let rest = text
  let fence: string | undefined
  while (rest !== '') {
    const opening: string = fence === undefined ? '' : `${fence}\n`
    const room = limits.maxLength - measure(opening) - (limits.maxLength > 4 * fenceReserve ? fenceReserve : 0)
    const end = measure(opening + rest) <= limits.maxLength ? rest.length : cutAt(rest, room, measure)
    const piece = rest.slice(0, end)
    fence = openFence(fence, piece)
    const closing = fence === undefined || end === rest.length ? '' : '\n```'
    parts.push(`${opening}${piece.trimEnd()}${closing}`)
    rest = rest.slice(end).replace(/^[ \n]/, '')
  }
  return parts.filter((part) => part.trim() !== '')
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
  const end = isLowSurrogate(text.charCodeAt(low)) ? low - 1 : low
  const line = text.lastIndexOf('\n', end - 1)
  if (line > end / 2) return line
  const space = text.lastIndexOf(' ', end - 1)
  return space > end / 2 ? space : Math.max(end, 1)
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
