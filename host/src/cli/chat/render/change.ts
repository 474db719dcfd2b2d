import type { Wire } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import { type Line, run, styles } from './style.ts'
import { cutLine } from './wrap.ts'

const mostRows = 40

/** The change of a file, as a tool tells it: a unified diff in its text, or beside it. */
export function findChange(text: string, result: Wire | undefined): string | undefined {
  if (/^--- .*\n\+\+\+ /.test(text)) return text
  const diff = typeof result === 'object' && result !== null && 'diff' in result ? result.diff : undefined
  return typeof diff === 'string' && diff !== '' ? diff : undefined
}

/** The lines of a change with their numbers, the first with the file behind `head`; what goes and what comes has its sign and its colour. */
export function changeRows(diff: string, columns: number, head: Line): readonly Line[] {
  const [before = '', after = '', ...lines] = showText(diff).trimEnd().split('\n')
  const name = (after === '+++ /dev/null' ? before : after).replace(/^(?:\+\+\+|---) (?:[ab]\/)?/, '')
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  const rows = numberedRows(lines)
  const more = rows.length - mostRows
  return [
    [...head, run(`${name} `), run(`+${count('+')}`, styles.green), run(` -${count('-')}`, styles.red)],
    ...rows.slice(0, mostRows),
    ...(more > 0 ? [[run(`  … ${more} more lines`, styles.dim)]] : []),
  ].map((row) => cutLine(row, columns))
}

function numberedRows(lines: readonly string[]): readonly Line[] {
  const rows: Line[] = []
  let before = 0
  let after = 0
  for (const line of lines) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (hunk) {
      if (rows.length > 0) rows.push([run('     ⋮', styles.dim)])
      before = Number(hunk[1])
      after = Number(hunk[2])
    } else rows.push(changeRow(line, line.startsWith('-') ? before : after))
    if (/^[- ]/.test(line)) before += 1
    if (/^[+ ]/.test(line)) after += 1
  }
  return rows
}

const signs: Readonly<Record<string, string>> = { '+': styles.green, '-': styles.red }

function changeRow(line: string, number: number): Line {
  const sign = line.charAt(0)
  if (!'+- '.includes(sign) || sign === '') return [run(`       ${line}`, styles.dim)]
  const style = signs[sign]
  const text = line.slice(1).replaceAll('\t', '    ')
  return [run(`${String(number).padStart(5)} `, styles.dim), run(`${sign} ${text}`, style ?? styles.dim)]
}
