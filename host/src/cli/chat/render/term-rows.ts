import { showLines } from '#observe/printable.ts'
import { type Line, run, styles } from './style.ts'
import { lineWidth, wrap } from './wrap.ts'

/** A term that is longer than this, or takes more of the window, stands above its text. */
const widestTerm = 42
const mostOfWindow = 0.45
/** Beside terms, a narrower text is hard to read. */
const leastText = 30
const gap = 2

/** Terms and their texts: in two columns, or in a narrow window each text below its term. */
export function termRows(rows: readonly (readonly [term: string, text: string])[], columns: number): readonly Line[] {
  const shown = rows.map(([term, text]) => ({ term: run(showLines(term), styles.cyan), text: showLines(text) }))
  const widest = Math.min(widestTerm, Math.floor(columns * mostOfWindow))
  const widths = shown.map(({ term }) => lineWidth([term])).filter((width) => width <= widest)
  const column = Math.max(0, ...widths) + gap
  const isWide = widths.length > 0 && columns - column >= leastText
  const edge = isWide ? column : 2 * gap
  return shown.flatMap(({ term, text }): readonly Line[] => {
    const lines = text === '' ? [] : wrap([run(text)], { width: Math.max(1, columns - edge), longWords: 'break' })
    const width = lineWidth([term])
    const isBeside = isWide && width <= widest
    const [first, ...others] = isBeside ? lines : [undefined, ...lines]
    const heads = first ? [[term, run(' '.repeat(edge - width)), ...first]] : wrap([term], { width: columns, longWords: 'break' })
    return [...heads, ...others.map((line) => [run(' '.repeat(edge)), ...(line ?? [])])]
  })
}
