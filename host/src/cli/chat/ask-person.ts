import type { ApprovalChoice, TurnEvent } from '@agent/plugin-sdk'

type Question = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

const words: { readonly [Choice in ApprovalChoice]: string } = {
  once: '[o]nce',
  session: 'for this [s]ession',
  always: '[a]lways',
  deny: '[d]eny',
}

/** How a question is answered where a line is typed; nothing where any words will do. */
export function describeWays(question: Question): readonly string[] {
  return question.type === 'approval.request' ? [`Allow it? ${question.choices.map((choice) => words[choice]).join(', ')}`] : []
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

/** A single letter that allows nothing is a slip, and nothing to say to the agent: that would stop what it does. */
export function describeSlip(question: Question, line: string): string | undefined {
  const isSlip = question.type === 'approval.request' && /^\S$/.test(line.trim()) && parseAnswer(question, line) === undefined
  return isSlip
    ? `"${line.trim()}" is no answer: ${question.choices.map((choice) => choice.charAt(0)).join(', ')}. Esc stops the agent.`
    : undefined
}
