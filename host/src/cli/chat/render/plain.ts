import type { TurnEvent, Wire } from '@agent/plugin-sdk'
import { type Cli, paint } from '../../console/cli.ts'

export interface PlainRenderer {
  show(event: TurnEvent): void
}

type Shown = Pick<Cli, 'write' | 'colour' | 'columns'>

/** Writes a turn's events as they come, for what is not a screen: the words of the model stay as they are. */
export function createPlainRenderer(cli: Shown, options: { readonly showReasoning: () => boolean }): PlainRenderer {
  let column: 'start' | 'text' | 'thinking' = 'start'
  const startLine = (): void => {
    if (column !== 'start') cli.write('\n')
    column = 'start'
  }
  const row = (text: string): void => {
    startLine()
    cli.write(`${text}\n`)
  }
  const flow = (kind: 'text' | 'thinking', text: string): void => {
    if (column !== kind && column !== 'start') startLine()
    cli.write(kind === 'thinking' ? paint(cli, 'dim', text) : text)
    column = text.endsWith('\n') ? 'start' : kind
  }
  const handlers: { readonly [Type in TurnEvent['type']]?: (event: Extract<TurnEvent, { type: Type }>) => void } = {
    'message.delta': ({ text }) => flow('text', text),
    'reasoning.delta': ({ text }) => options.showReasoning() && flow('thinking', text),
    'tool.start': ({ name, preview }) => row(paint(cli, 'cyan', cut(`  ${name}  ${preview}`, cli.columns))),
    'tool.progress': ({ text }) => row(paint(cli, 'dim', cut(`    ${text}`, cli.columns))),
    'tool.complete': (event) => row(formatResult(cli, event)),
    'subagent.spawn_requested': ({ goal, index, count }) =>
      row(paint(cli, 'cyan', cut(`  child agent${placeOf(index, count)}  ${goal}`, cli.columns))),
    'subagent.tool': ({ name, preview, index, count }) =>
      row(paint(cli, 'dim', cut(`   ${placeOf(index, count)} ${name}  ${preview}`, cli.columns))),
    'subagent.complete': ({ status, text, durationMs, index, count }) => {
      const time = durationMs >= 1000 ? ` ${(durationMs / 1000).toFixed(1)} s` : ''
      row(paint(cli, status === 'completed' ? 'dim' : 'red', cut(`   ${placeOf(index, count)} ${status}${time}  ${text}`, cli.columns)))
    },
    status: ({ text }) => row(paint(cli, 'yellow', text)),
    error: ({ error, text }) => error.code !== 'INTERRUPTED' && row(paint(cli, 'red', text)),
    'message.complete': ({ status }) => {
      startLine()
      if (status === 'interrupted') row(paint(cli, 'yellow', 'Interrupted.'))
      if (status === 'length') row(paint(cli, 'yellow', 'The answer was cut: it reached the longest output.'))
    },
  }
  return { show: (event) => (handlers[event.type] as ((event: TurnEvent) => void) | undefined)?.(event) }
}

/** Which of several child agents. */
const placeOf = (index: number, count: number): string => (count === 1 ? '' : ` ${index + 1}/${count}`)

function formatResult(cli: Shown, { ok, text, result, durationMs }: Extract<TurnEvent, { type: 'tool.complete' }>): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const code = exitCodeOf(result)
  const isGood = ok && code === 0
  const end = isGood ? 'ok' : code === 0 ? 'failed' : `failed (exit code ${code})`
  const time = durationMs >= 1000 ? ` ${(durationMs / 1000).toFixed(1)} s` : ''
  const more = lines.length > 1 ? ` (${lines.length} lines)` : ''
  return paint(cli, isGood ? 'dim' : 'red', cut(`  ${end}${time}${more}  ${lines[0] ?? ''}`, cli.columns))
}

/** A tool that runs a program tells how it ended, though the tool itself has done its work. */
function exitCodeOf(result: Wire | undefined): number {
  const code = typeof result === 'object' && result !== null && 'exit_code' in result ? result.exit_code : 0
  return typeof code === 'number' ? code : 0
}

function cut(text: string, columns: number): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ')
  return line.length > columns - 1 ? `${line.slice(0, columns - 2)}…` : line
}
