import { expect, test } from 'vitest'
import { fail, toWireError } from '../../../contract/errors.ts'
import { describeFailure, findErrorProblem } from './error-problem.ts'

test.each([
  ['a code of the table with its parameters', fail('MODEL_NOT_FOUND', { provider: 'grey', detail: 'no grey' }), undefined],
  ['a parameter that may be left out', fail('PROVIDER_UNKNOWN', { provider: 'grey' }), undefined],
  ['a detail with that word', fail('TOOL_FAILED', { tool: 'roll', detail: 'x is undefined' }), undefined],
  ['no error', undefined, 'has no code'],
  ['an error without a code', toWireError(new Error('boom')), 'has no code: boom'],
  ['a code of nobody', { code: 'GREY_FAILED', params: {} }, 'has the code GREY_FAILED, which is not in the table of errors'],
  ['a name of every object', { code: 'toString', params: {} }, 'has the code toString, which is not in the table of errors'],
  [
    'a parameter that is missing',
    { code: 'MODEL_NOT_FOUND', params: { provider: 'grey' } },
    'lacks a parameter of MODEL_NOT_FOUND: "grey does not have that model: undefined. agent model grey --list shows what it has."',
  ],
])('%s', (_name, error, problem) => {
  expect(findErrorProblem(error)).toBe(problem)
})

test('an error without a code is told without the frame that people get to see', () => {
  expect(describeFailure(new Error('boom'))).toBe('boom')
  expect(describeFailure(fail('INTERNAL', { detail: 'boom' }))).toBe('boom')
  expect(describeFailure(fail('INTERRUPTED'))).toBe('Interrupted.')
})
