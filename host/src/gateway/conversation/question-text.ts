import type { ApprovalChoice, Button, TurnEvent } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'

/** One way to answer a question. */
export interface Choice {
  /** What the turn is told. */
  readonly value: string
  /** What people see. */
  readonly label: string
  /** What is said once it is chosen. */
  readonly done: string
  readonly style?: NonNullable<Button['style']>
}

/** What a running turn wants to know from a person. */
export interface Question {
  /** Id of the request. */
  readonly id: string
  readonly type: 'approval' | 'clarify'
  readonly text: string
  readonly choices: readonly Choice[]
}

const approvals: { readonly [Value in ApprovalChoice]: Omit<Choice, 'value'> & { readonly words?: readonly string[] } } = {
  once: { label: 'Allow once', done: 'Allowed once.', style: 'primary', words: ['yes', 'y', 'ok', 'allow', 'approve'] },
  session: { label: 'Allow for this session', done: 'Allowed for this session.' },
  always: { label: 'Always allow', done: 'Allowed from now on.' },
  deny: { label: 'Deny', done: 'Denied.', style: 'danger', words: ['no', 'n'] },
}

/** So much of a command is shown whole; of a longer one the beginning and the end, and how much is between them. */
const longestSubject = 8_000

/** The question in an event; undefined for events that ask nothing. */
export function toQuestion(event: TurnEvent): Question | undefined {
  if (event.type === 'approval.request') {
    // A fence in it would let the command step out of the quotation.
    const subject = cutMiddle(showText(event.subject).replaceAll('```', "'''"))
    const reason = toSentence(showText(event.reason).replaceAll('\n', ' '))
    const choices = event.choices.map((value): Choice => {
      const { label, done, style } = approvals[value]
      return { value, label, done, ...(style ? { style } : {}) }
    })
    const saves =
      event.rule !== undefined && event.choices.includes('always')
        ? `\n“Always” saves the rule ${showText(event.rule).replaceAll('\n', ' ')}.`
        : ''
    return {
      id: event.id,
      type: 'approval',
      text: `May I do this? ${reason}\n\`\`\`\n${subject}\n\`\`\`${placeOf(event)}${saves}`,
      choices,
    }
  }
  if (event.type !== 'clarify.request') return undefined
  const choices = event.choices.map((label): Choice => ({ value: label, label, done: `Understood: ${label}` }))
  return { id: event.id, type: 'clarify', text: event.question, choices }
}

/** Some reasons are the rest of a sentence: `it deletes folders`. */
function toSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[\w)]$/.test(reason) ? '.' : ''}`
}

const places = { sandbox: 'in the sandbox', machine: 'on this machine, outside of any sandbox' } as const

function placeOf({ where, folder }: Extract<TurnEvent, { type: 'approval.request' }>): string {
  if (where === undefined) return ''
  return `\nIt runs ${places[where]}${folder === undefined ? '' : `, in the folder ${showText(folder).replaceAll('\n', ' ')}`}.`
}

function cutMiddle(text: string): string {
  if (text.length <= longestSubject) return text
  const half = longestSubject / 2
  return `${text.slice(0, half)}\n[${text.length - longestSubject} characters are not shown]\n${text.slice(-half)}`
}

/** The question as a message; where there are no buttons, with how to answer it in words. */
export function describeQuestion({ type, text, choices }: Question, { hasButtons }: { readonly hasButtons: boolean }): string {
  if (hasButtons) return text
  const numbered = choices.map(({ label }, index) => `${index + 1}. ${label}`).join('\n')
  const how =
    type === 'approval'
      ? 'Answer with a number, or with /approve or /deny.'
      : choices.length > 0
        ? 'Answer with a number, or in your own words.'
        : ''
  return [text, numbered, how].filter((part) => part !== '').join('\n\n')
}

/** What a text means as an answer: a number, a label, a word for an approval; a clarification takes any words. */
export function readReply({ type, choices }: Question, text: string): Choice | undefined {
  const said = text.trim()
  if (said === '') return undefined
  const word = said.toLowerCase().replace(/[.!]$/, '')
  const byNumber = /^\d{1,2}$/.test(word) ? choices[Number(word) - 1] : undefined
  const named = byNumber ?? choices.find(({ label, value }) => [label, value].some((each) => each.toLowerCase() === word))
  if (named) return named
  if (type === 'clarify') return { value: said, label: said, done: '' }
  return choices.find(({ value }) => isApproval(value) && approvals[value].words?.includes(word))
}

function isApproval(value: string): value is ApprovalChoice {
  return Object.hasOwn(approvals, value)
}
