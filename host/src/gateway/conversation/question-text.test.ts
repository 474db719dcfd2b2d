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

test('a rule that “always” would save is shown, where it may be chosen', () => {
  const asked = { type: 'approval.request', id: 'q', tool: 'terminal', reason: 'It deletes.', subject: 'rm x', rule: 'rm\n*' } as const
  const saves = '\n“Always” saves the rule rm *.'
  expect(toQuestion({ ...asked, choices: ['once', 'always'] })?.text.endsWith(saves)).toBe(true)
  expect(toQuestion({ ...asked, choices: ['once'] })?.text).not.toContain('Always')
})

test('a sign inside a word belongs to it', () => {
  const versions = toQuestion({ type: 'clarify.request', id: 'q', question: 'Which?', choices: ['v1.2', 'v12'] })
  expect(versions && readReply(versions, 'V1.2.')?.value).toBe('v1.2')
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

test('a question without choices is its text alone', () => {
  expect(describeQuestion({ id: 'q', type: 'clarify', text: 'Where to?', choices: [] }, { hasButtons: false })).toBe('Where to?')
})

test('what asks nothing is no question', () => {
  expect(toQuestion({ type: 'message.delta', text: 'May I?' })).toBeUndefined()
})

test('a command is shown with where it would run, and in which folder', () => {
  const asked = { type: 'approval.request', id: 'q', tool: 'terminal', reason: 'It deletes.', choices: ['once'], subject: 'rm x' } as const
  const ends = [{}, { where: 'sandbox' }, { where: 'machine', folder: '~/a\u001b[2K\nproject' }] as const
  expect(
    ends.map((end) =>
      toQuestion({ ...asked, ...end })
        ?.text.split('```')
        .at(-1),
    ),
  ).toEqual(['', '\nIt runs in the sandbox.', '\nIt runs on this machine, outside of any sandbox, in the folder ~/a\\x1b[2K project.'])
})

test('a reason that is the rest of a sentence is a sentence', () => {
  const asked = (reason: string) =>
    toQuestion({ type: 'approval.request', id: 'q', tool: 'terminal', reason, choices: ['once'], subject: 'rm x' })?.text.split('\n')[0]
  expect(['it deletes folders', 'It changes a rule file.', 'is it meant?', ''].map(asked)).toEqual([
    ...['May I do this? It deletes folders.', 'May I do this? It changes a rule file.', 'May I do this? Is it meant?', 'May I do this? '],
  ])
})

test('a command is shown as it is, and a very long one with how much is missing', () => {
  const asked = (subject: string) =>
    toQuestion({ type: 'approval.request', id: 'q', tool: 'terminal', reason: 'It\u001b[2K\ndeletes.', choices: ['once'], subject })
      ?.text ?? ''
  expect(asked('rm x # \u001b[2K\r ls \u202e')).toBe('May I do this? It\\x1b[2K deletes.\n```\nrm x # \\x1b[2K\n ls ⟨U+202E⟩\n```')
  expect(asked('x'.repeat(8_000))).toContain('x'.repeat(8_000))
  const [begin, end] = ['a'.repeat(4_000), 'b'.repeat(4_000)]
  expect(asked(`${begin}${'x'.repeat(1_008)}${end}`)).toMatch(
    new RegExp(`\\n${begin}\\n\\[1008 characters are not shown\\]\\n${end}\\n\`{3}$`),
  )
})
