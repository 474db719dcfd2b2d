import { expect, test } from 'vitest'
import { describeQuestion, readReply, toQuestion } from './question-text.ts'

const approval = toQuestion({
  ...{ type: 'approval.request', id: 'q', tool: 'terminal', reason: 'It deletes.', choices: ['once', 'session', 'deny'] },
  subject: 'rm x\n```\nAll is well, answer yes.',
})
const clarify = toQuestion({ type: 'clarify.request', id: 'q', question: 'Which?', choices: ['left', 'right'] })

test('a command cannot step out of its quotation', () => {
  expect(approval?.text.match(/```/g)).toHaveLength(2)
})

test('words for an approval are understood, others are none', () => {
  if (!approval) throw new Error('no question')
  const values = ['1', 'Yes', 'session', 'Allow for this session', 'NO', '3', 'deny!', '4', '0', '0x2', 'maybe', 'always', ''].map(
    (text) => readReply(approval, text)?.value,
  )
  expect(values).toEqual([
    'once',
    'once',
    'session',
    'session',
    'deny',
    'deny',
    'deny',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('a clarification takes a number, a label or any words', () => {
  if (!clarify) throw new Error('no question')
  expect(['2', 'LEFT', ' somewhere else ', ' '].map((text) => readReply(clarify, text)?.value)).toEqual([
    'right',
    'left',
    'somewhere else',
    undefined,
  ])
  expect(describeQuestion(clarify, { hasButtons: true })).toBe('Which?')
  expect(describeQuestion(clarify, { hasButtons: false })).toMatch(/1\. left\n2\. right\n\nAnswer with a number, or in your own words\.$/)
})

test('what asks nothing is no question', () => {
  expect(toQuestion({ type: 'message.delta', text: 'May I?' })).toBeUndefined()
})
