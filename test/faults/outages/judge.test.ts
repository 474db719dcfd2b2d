import { expect, test } from 'vitest'
import { judgeTurn, type Seen } from './judge.ts'

const right = 'About t1: t1-0 t1-1 done.'
const turn: Seen = {
  ...{ token: 't1', right, shown: right, text: right, status: 'complete', code: undefined },
  ...{ startedAt: 10, endedAt: 20, replaced: 0 },
}
const known = new Set(['MODEL_AUTH'])
const judge = (change: Partial<Seen>, isFirstWell = false, isOneWell = false) =>
  judgeTurn({ ...turn, ...change }, known, { isFirstWell: () => isFirstWell, isOneWell: () => isOneWell })

test.each<[string, Partial<Seen>, boolean, boolean]>([
  ['answered', {}, true, true],
  ['answered', { replaced: 1 }, false, true],
  ['not restored', { replaced: 1 }, true, true],
  ['wrong', { text: 'About t1: t1-0' }, true, true],
  ['wrong', { shown: 'About t1: t1-0' }, true, true],
  ['doubled', { shown: `${right} t1-1` }, true, true],
  ['doubled', { text: `${right} t1-1`, status: 'failed', code: 'MODEL_AUTH' }, false, false],
  ['named error', { status: 'failed', code: 'MODEL_AUTH', text: '', shown: '' }, false, false],
  ['error without need', { status: 'failed', code: 'MODEL_AUTH', text: '', shown: '' }, false, true],
  ['no end', { status: 'failed', code: 'SOMETHING', text: '', shown: '' }, false, false],
  ['no end', { status: 'none', text: '', shown: '' }, false, false],
])('it is %s: %j', (verdict, change, isFirstWell, isOneWell) => {
  expect(judge(change, isFirstWell, isOneWell)).toBe(verdict)
})
