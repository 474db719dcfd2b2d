import { expect, test } from 'vitest'
import { isOurs, readLedger } from './ledger.ts'

const before = (number: number) => ({ number, phase: 'before' as const })
const after = (number: number) => ({ number, phase: 'after' as const })

test('a stretch is ours while a turn is open that also ended; a turn that was cut off never is', () => {
  const snapshots = [before(1), after(1), before(2), before(3), after(2), before(4), after(3)]
  expect(snapshots.map((_, index) => isOurs(snapshots, index))).toEqual([true, false, true, true, true, true, false])
  const cut = [before(1), before(2), after(2)]
  expect(cut.map((_, index) => isOurs(cut, index))).toEqual([false, true, false])
})

test('who first made a file has made it; another who changed it has edited it', () => {
  const wasUnheld = (path: string): boolean => path === 'hidden'
  const ledger = readLedger([
    { isOurs: true, wasUnheld, changes: [{ path: 'made', status: 'A' }] },
    { isOurs: false, wasUnheld, changes: [{ path: 'theirs', status: 'A' }] },
    { isOurs: true, wasUnheld, changes: [{ path: 'theirs', status: 'D' }] },
    { isOurs: true, wasUnheld, changes: [{ path: 'theirs', status: 'A' }] },
    { isOurs: false, wasUnheld, changes: [{ path: 'made', status: 'M' }] },
    { isOurs: true, wasUnheld, changes: [{ path: 'hidden', status: 'A' }] },
  ])
  expect(['made', 'theirs', 'hidden', 'unknown'].map(ledger.isMade)).toEqual([true, false, false, false])
  expect(['made', 'theirs', 'unknown'].map(ledger.isByHand)).toEqual([true, true, false])
})
