import type { ToolCall, ToolResult } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { clarify } from './clarify.ts'
import { tools } from './tools.ts'

const { parameters } = tools.clarify

function asked(args: object, ask: ToolCall['ask']): Promise<ToolResult> {
  const toolCall = { id: 'c', session: 's', turn: 't', workspace: '/', args: parameters.parse(args), progress: () => undefined, ask }
  return clarify(toolCall, { id: 'c', signal: new AbortController().signal, deadline: 1000 })
}

test('the question and its choices reach the person, the answer the model', async () => {
  const questions: unknown[] = []
  const result = await asked({ question: 'Which?', choices: ['a', ' b ', 'a', ' '] }, async (question) => {
    questions.push(question)
    return ' b\n'
  })
  expect(questions).toEqual([{ question: 'Which?', choices: ['a', 'b'] }])
  expect(result).toEqual({ ok: true, text: 'b' })
})

test('an empty answer is told as such', async () => {
  expect(await asked({ question: 'Which?' }, async () => ' ')).toEqual({ ok: true, text: '(no answer; go on as you think best)' })
})

test('where nobody can answer the model is told to go on', async () => {
  const result = await asked({ question: 'Which?' }, async () => {
    throw fail('NOBODY_TO_ASK', { what: 'Which?' })
  })
  expect(result).toMatchObject({ ok: false, error: { code: 'NOBODY_TO_ASK' }, text: expect.stringContaining('say what you assumed') })
})

test('any other failure keeps its code', async () => {
  const result = await asked({ question: 'Which?' }, async () => {
    throw fail('INTERRUPTED')
  })
  expect(result).toEqual({ ok: false, error: { code: 'INTERRUPTED', params: {} } })
})

test('more than four choices, and none of a question, do not fit', () => {
  expect(parameters.safeParse({ question: 'x', choices: ['1', '2', '3', '4', '5'] }).success).toBe(false)
  expect(parameters.safeParse({ question: '' }).success).toBe(false)
})
