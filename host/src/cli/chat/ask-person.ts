import type { ApprovalChoice, TurnEvent } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import { type Cli, paint } from '../console/cli.ts'

type Question = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

const oneLine = (text: string): string => showText(text).replaceAll('\n', ' ')

const words: { readonly [Choice in ApprovalChoice]: string } = {
  once: '[o]nce',
  session: 'for this [s]ession',
  always: '[a]lways',
  deny: '[d]eny',
}

/** How a question looks on the terminal; the prompt comes after it. */
export function formatQuestion(cli: Pick<Cli, 'colour'>, question: Question): string {
  if (question.type === 'clarify.request') {
    const choices = question.choices.map((choice, index) => `  ${index + 1}. ${oneLine(choice)}`)
    return [paint(cli, 'bold', showText(question.question)), ...choices].join('\n')
  }
  const rule = question.rule === undefined ? '' : ` (saves the rule ${oneLine(question.rule)})`
  const offered = question.choices.map((choice) => (choice === 'always' ? words[choice] + rule : words[choice])).join(', ')
  const asked = `${question.tool} wants to run something that needs your approval (${oneLine(question.reason)}):`
  // Every line of the command is marked, so that none of it looks like a line of ours.
  const subject = showText(question.subject).replaceAll(/^/gm, '  │ ')
  return `${paint(cli, 'yellow', asked)}\n${subject}\nAllow it? ${offered}`
}

/** What a typed line answers; undefined when it is no answer. An empty line denies. */
export function parseAnswer(question: Question, line: string): string | undefined {
  const text = line.trim()
  if (question.type === 'clarify.request') {
    const index = Number(text)
    return (Number.isInteger(index) ? question.choices[index - 1] : undefined) ?? (text === '' ? undefined : text)
  }
  if (text === '') return 'deny'
  const lower = text.toLowerCase()
  if (['y', 'yes'].includes(lower)) return 'once'
  if (['n', 'no'].includes(lower)) return 'deny'
  return question.choices.find((choice) => choice === lower || choice.charAt(0) === lower)
}
