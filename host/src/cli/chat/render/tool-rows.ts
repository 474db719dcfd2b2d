import type { TurnEvent, Wire } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import { changeRows, findChange } from './change.ts'
import { type Line, run, styles } from './style.ts'
import { cutLine, lineWidth, wrap } from './wrap.ts'

type Complete = Extract<TurnEvent, { type: 'tool.complete' }>

/** Lines of a result that are shown; of a failure more. */
const mostLines = { good: 3, failed: 8 } as const

/** What a call does, on one line. */
export function callRow(name: string, preview: string, columns: number): Line {
  return cutLine([run('● ', styles.dim), run(oneLine(name), styles.cyan), run(`  ${oneLine(preview)}`)], columns)
}

/** What came of it: how it ended, how long that took, how much it said, and how that begins. */
export function resultRows(event: Complete, columns: number): readonly Line[] {
  const { text, result, durationMs } = event
  const isGood = event.ok && exitCodeOf(result) === 0
  // That it was stopped is said below the answer.
  if (event.error?.code === 'INTERRUPTED') return [[run(`  ${['stopped', ...lasted(durationMs)].join(' · ')}`, styles.yellow)]]
  const style = isGood ? styles.dim : styles.red
  const said = showText(withoutName(event.name, text))
    .split('\n')
    .filter((line) => line.trim() !== '')
  const { lines, words } = isGood ? { lines: said } : takeExitWords(said)
  const change = isGood ? findChange(text, result) : undefined
  const facts = [endOf(event, isGood, words), ...lasted(durationMs)]
  if (change !== undefined) return changeRows(change, columns, [run(`  ${facts.join(' · ')}  `, style)])
  if (lines.length <= 1) {
    const row = [run(`  ${facts.join(' · ')}  `, style), run(lines[0] ?? '', styles.dim)]
    if (isGood || lines.length === 0 || lineWidth(row) <= columns) return [cutLine(row, columns)]
    return [[run(`  ${facts.join(' · ')}`, style)], ...reasonRows(lines[0] ?? '', columns)]
  }
  const shown = lines.slice(0, isGood ? mostLines.good : mostLines.failed)
  const more = lines.length - shown.length
  return [
    [run(`  ${[...facts, `${lines.length} lines`].join(' · ')}`, style)],
    ...shown.map((line) => cutLine([run('  │ ', styles.dim), run(line.replaceAll('\t', '  '), styles.dim)], columns)),
    ...(more > 0 ? [[run(`  │ … ${more} more`, styles.dim)]] : []),
  ]
}

/** The row has the name, and says that it failed. */
function withoutName(name: string, text: string): string {
  const before = `${name} failed: `
  return text.startsWith(before) ? text.slice(before.length) : text
}

/** Why a call failed is worth more than one line of a narrow window. */
function reasonRows(reason: string, columns: number): readonly Line[] {
  const lines = wrap([run(reason, styles.dim)], { width: columns - 4, longWords: 'break' })
  return lines.slice(0, mostLines.failed).map((line) => [run('  │ ', styles.dim), ...line])
}

/** The last line of a program that failed says how it ended, which stands in the row already. */
function takeExitWords(lines: readonly string[]): { readonly lines: readonly string[]; readonly words?: string | undefined } {
  const words = /^\((exit code \d+(?:: .*)?)\)$/.exec(lines.at(-1) ?? '')?.[1]
  return { lines: words === undefined ? lines : lines.slice(0, -1), words }
}

function endOf({ result }: Complete, isGood: boolean, words = `exit code ${exitCodeOf(result)}`): string {
  if (isGood) return 'ok'
  return exitCodeOf(result) === 0 ? 'failed' : `failed (${words})`
}

/** A tool that runs a program tells how it ended, though the tool itself has done its work. */
function exitCodeOf(result: Wire | undefined): number {
  const code = typeof result === 'object' && result !== null && 'exit_code' in result ? result.exit_code : 0
  return typeof code === 'number' ? code : 0
}

/** Worth a word from a second on. */
const lasted = (ms: number): readonly string[] => (ms >= 1000 ? [formatDuration(ms)] : [])

/** 1.3 s, 2 min 5 s. */
function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function oneLine(text: string): string {
  return showText(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('\t', ' ')
}
