/** A place in a text, and what to put there. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

type Fold = (line: string) => string

/** Tried in this order after the exact text; each forgives a little more. */
const folds: readonly Fold[] = [
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => line.trim().replaceAll(/\s+/g, ' '),
  (line) => line.trim().replaceAll(/\s+/g, ' ').replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/[–—]/g, '-'),
]

/** All places where `wanted` stands, found by the strictest comparison that finds any. `text` and `wanted` have `\n` line ends. */
export function findPlaces(text: string, wanted: string, replacement: string): readonly Place[] {
  const exact: Place[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    exact.push({ start: at, end: at + wanted.length, replacement })
  }
  if (exact.length > 0) return exact
  for (const fold of folds) {
    const places = findLines(text, wanted, replacement, fold)
    if (places.length > 0) return places
  }
  return []
}

function findLines(text: string, wanted: string, replacement: string, fold: Fold): readonly Place[] {
  const lines = text.split('\n')
  const wholeLines = wanted.endsWith('\n')
  const sought = (wholeLines ? wanted.slice(0, -1) : wanted).split('\n').map(fold)
  if (sought.every((line) => line === '')) return []
  const folded = lines.map(fold)
  const starts = lineStarts(lines)
  const places: Place[] = []
  for (let at = 0; at + sought.length <= lines.length; at++) {
    if (!sought.every((line, index) => line === folded[at + index])) continue
    const last = at + sought.length - 1
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0)
    const body = reindent(wholeLines ? replacement.replace(/\n$/, '') : replacement, wanted, lines[at] ?? '')
    // An emptied block of whole lines takes its line break with it.
    const emptied = wholeLines && replacement === ''
    places.push({ start: starts[at] ?? 0, end: emptied ? Math.min(end + 1, text.length) : end, replacement: body })
    at = last
  }
  return places
}

/** Moves the replacement by the difference between the indentation that was written and the one that stands in the file. */
function reindent(replacement: string, wanted: string, found: string): string {
  const written = indentOf(wanted.split('\n')[0] ?? '')
  const actual = indentOf(found)
  if (written === actual) return replacement
  return replacement
    .split('\n')
    .map((line) => (line.trim() === '' ? line : line.startsWith(written) ? actual + line.slice(written.length) : line))
    .join('\n')
}

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length)

function lineStarts(lines: readonly string[]): readonly number[] {
  let at = 0
  return lines.map((line) => {
    const start = at
    at += line.length + 1
    return start
  })
}

/** The lines of the file that look most like the first telling line of `wanted`, as `LINE|CONTENT`. */
export function nearestLines(text: string, wanted: string): readonly string[] {
  const sought = pairsOf(wanted.split('\n').find((line) => line.trim().length > 2) ?? wanted)
  const scored = text.split('\n').map((line, index) => ({ line, index, score: overlap(sought, pairsOf(line)) }))
  const best = scored.filter(({ score }) => score > 0.4).sort((a, b) => b.score - a.score || a.index - b.index)
  return best.slice(0, 3).map(({ line, index }) => `${index + 1}|${line.slice(0, 200)}`)
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().toLowerCase().slice(0, 200)
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2))
  return pairs
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both += 1
  return (2 * both) / (a.size + b.size)
}
