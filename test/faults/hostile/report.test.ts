import { expect, test } from 'vitest'
import { findProblems, type HostileReport, type Row } from './report.ts'

const row: Row = {
  name: 'a paused reader of 300 MB',
  answer: '200',
  waitMs: 250,
  machineMs: 0,
  wrong: [],
  tookMs: 1,
  beforeMiB: 100,
  peakMiB: 120,
  laterMiB: 100,
}
const sound: HostileReport = {
  rows: [row],
  longestWaitMs: 250,
  calmMs: 1,
  beforeMiB: 100,
  readerMiB: 20,
  heldMiB: [120, 126],
  open: 0,
  ended: undefined,
}

test('what stays within the limits is no problem', () => {
  expect(findProblems(sound)).toEqual([])
})

test.each([
  ['a longer wait', { rows: [{ ...row, waitMs: 251 }] }, 'somebody else waited 251 ms'],
  ['a wrong answer', { rows: [{ ...row, wrong: ['p1 was answered: nothing'] }] }, 'p1 was answered: nothing'],
  ['a request that nobody answered', { rows: [{ ...row, answer: 'no answer' }] }, 'it was answered no answer'],
  ['a fault of the gateway', { rows: [{ ...row, answer: '20 × 500' }] }, 'it was answered 20 × 500'],
  ['a reader that costs more', { readerMiB: 21 }, 'it cost 21 MiB'],
  ['memory that stays', { heldMiB: [121] }, 'holds 121 MiB'],
  ['memory that a second time adds', { heldMiB: [100, 106] }, 'holds 106 MiB'],
  ['connections that stay', { open: 2 }, '2 connections'],
  ['a gateway that fails', { ended: 'The gateway ended with code 1' }, 'ended with code 1'],
])('%s is named', (_what, change, problem) => {
  expect(findProblems({ ...sound, ...change })).toEqual([expect.stringContaining(problem)])
})
