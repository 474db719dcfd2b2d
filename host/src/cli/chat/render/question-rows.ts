import type { TurnEvent } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import { type Line, print, run, type Style, styles } from './style.ts'
import { oneLine } from './tool-rows.ts'
import { foldLine, wrap } from './wrap.ts'

type Approval = Extract<TurnEvent, { type: 'approval.request' }>
export type ShownQuestion = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

export interface QuestionLook {
  readonly columns: number
  readonly colour: boolean
  /** Lays out what is asked; absent: as a plain text. */
  readonly layOut?: (text: string) => readonly string[]
}

const places = { sandbox: 'in the sandbox', machine: 'on this machine, outside of any sandbox' } as const

/** What a turn wants to know, without the ways to answer. */
export function questionRows(question: ShownQuestion, { columns, colour, layOut }: QuestionLook): readonly string[] {
  const printed = (lines: readonly Line[]): readonly string[] => lines.map((line) => print(line, colour))
  if (question.type === 'approval.request') return printed(approvalRows(question, columns))
  const asked =
    layOut?.(question.question) ?? printed(wrap([run(showText(question.question), styles.bold)], { width: columns, longWords: 'leave' }))
  return [...asked, ...printed(question.choices.flatMap((choice, index) => beside(`  ${index + 1}. `, oneLine(choice), columns, '')))]
}

function approvalRows({ tool, subject, reason, rule, where, folder, choices }: Approval, columns: number): readonly Line[] {
  // Every line of the command is marked, so that none of it looks like a line of ours.
  const command = showText(subject)
    .split('\n')
    .flatMap((line) => foldLine([run(line)], columns - 4))
    .map((line) => [run('  │ ', styles.yellow), ...line])
  return [
    [run(`${oneLine(tool)} needs your approval:`, styles.yellow)],
    ...command,
    ...beside('  why     ', oneLine(reason), columns, styles.yellow),
    ...(where === undefined ? [] : beside('  where   ', places[where], columns, where === 'machine' ? styles.yellow : '')),
    ...(folder === undefined ? [] : beside('  folder  ', oneLine(folder), columns, '')),
    ...(rule !== undefined && choices.includes('always') ? beside('  always  ', `saves the rule ${oneLine(rule)}`, columns, '') : []),
  ]
}

/** A text beside its name. */
function beside(name: string, text: string, columns: number, style: Style): readonly Line[] {
  const lines = wrap([run(text, style)], { width: Math.max(8, columns - name.length), longWords: 'break' })
  return lines.map((line, index) => [run(index === 0 ? name : ' '.repeat(name.length), styles.dim), ...line])
}
