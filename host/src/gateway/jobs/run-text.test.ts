import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { JobRun } from '#store/jobs.ts'
import { specOf } from '#store/testing/jobs-contract.ts'
import { isSilent, textOf } from './run-text.ts'

const dueAt = Date.parse('2026-03-01T09:00:00Z')

function say(change: Partial<JobRun>): string {
  const job = {
    ...specOf({ zone: 'Europe/Berlin' }),
    id: 'job',
    state: 'scheduled',
    nextAt: 0,
    completed: 0,
    anchorAt: 0,
    createdAt: 0,
  } as const
  const run = {
    seq: 1,
    job: 'job',
    dueAt,
    cause: 'due',
    collapsed: 0,
    attempts: 1,
    owner: null,
    retryAt: null,
    startedAt: 0,
    endedAt: 0,
  } as const
  const rest = { session: null, output: '', error: null, delivery: 'pending', deliveryError: null, state: 'ok' } as const
  return textOf({ job, run: { ...run, ...rest, ...change } }, { named: false })
}

test.for([
  [{ state: 'missed', collapsed: 1 }, 'JOB_MISSED', '2026-03-01 10:00 (Europe/Berlin), and once since'],
  [{ state: 'lost' }, 'JOB_LOST', 'Nobody knows how far it came'],
  [{ state: 'failed', error: toWireError(fail('JOB_UNFINISHED')), output: 'half' }, 'JOB_UNFINISHED', 'was not done'],
] as const)('%o is told as %s: %s', ([change, _code, text]) => {
  expect(say(change)).toContain(text)
})

test('an answer is said as it is, and without one nothing is', () => {
  expect(say({ output: 'Tea.' })).toBe('Tea.')
  expect(say({})).toBe('')
})

test.for([
  ['[SILENT]', true],
  ['  [SILENT]\n', true],
  ['Nothing new.\n[SILENT]', true],
  ['The log says [SILENT] twice: look at it.', false],
  ['[SILENT]\nBut the disk is full.', false],
  ['', false],
] as const)('%j wants nothing to be said: %s', ([output, silent]) => {
  expect(isSilent(output)).toBe(silent)
})
