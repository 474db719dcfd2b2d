type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string }

const around = 3
/** Above this many comparisons the changed middle is shown as one block. */
const mostComparisons = 4_000_000
const longest = 20_000

/** The change of a text as a unified diff with three lines of context. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after))
  const text = [`--- a/${path}`, `+++ b/${path}`, ...hunks(lines)].join('\n')
  return text.length > longest ? `${text.slice(0, longest)}\n… the rest of the diff is left out …` : text
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  else lines[lines.length - 1] += '\n\\ No newline at end of file'
  return lines
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const same = (text: string): Line => ({ sign: ' ', text })
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

/** Along the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const minus = (text: string): Line => ({ sign: '-', text })
  const plus = (text: string): Line => ({ sign: '+', text })
  if (before.length * after.length > mostComparisons) return [...before.map(minus), ...after.map(plus)]
  const common = commonLengths(before, after)
  const lines: Line[] = []
  let row = 0
  let column = 0
  while (row < before.length && column < after.length) {
    const old = before[row] ?? ''
    if (old === after[column]) {
      lines.push({ sign: ' ', text: old })
      row += 1
      column += 1
    } else if (common(row + 1, column) >= common(row, column + 1)) {
      lines.push(minus(old))
      row += 1
    } else {
      lines.push(plus(after[column] ?? ''))
      column += 1
    }
  }
  return [...lines, ...before.slice(row).map(minus), ...after.slice(column).map(plus)]
}

/** Length of the longest common subsequence of what follows a row and a column. */
function commonLengths(before: readonly string[], after: readonly string[]): (row: number, column: number) => number {
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => table[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const same = before[row] === after[column]
      table[row * width + column] = same ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  return at
}

function hunks(lines: readonly Line[]): readonly string[] {
  const shown = new Set<number>()
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return
    for (let near = index - around; near <= index + around; near++) if (near >= 0 && near < lines.length) shown.add(near)
  })
  const result: string[] = []
  let counts = { before: 1, after: 1 }
  let hunk: { readonly before: number; readonly after: number; readonly lines: Line[] } | undefined
  lines.forEach((line, index) => {
    if (shown.has(index)) {
      hunk ??= { ...counts, lines: [] }
      hunk.lines.push(line)
    } else if (hunk) {
      result.push(...formatHunk(hunk))
      hunk = undefined
    }
    counts = { before: counts.before + (line.sign === '+' ? 0 : 1), after: counts.after + (line.sign === '-' ? 0 : 1) }
  })
  return hunk ? [...result, ...formatHunk(hunk)] : result
}

function formatHunk({ before, after, lines }: { readonly before: number; readonly after: number; readonly lines: readonly Line[] }) {
  const removed = lines.filter(({ sign }) => sign !== '+').length
  const added = lines.filter(({ sign }) => sign !== '-').length
  const start = (line: number, count: number): number => (count === 0 ? line - 1 : line)
  const title = `@@ -${start(before, removed)},${removed} +${start(after, added)},${added} @@`
  return [title, ...lines.map(({ sign, text }) => sign + text)]
}
