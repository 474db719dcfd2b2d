import { expect, test } from 'vitest'
import type { Claim } from '#store/journal.ts'
import { createOutOfTurn } from './out-of-turn.ts'

test('of what passes by the first that still waits is claimed, and those are woken who listen', async () => {
  const asked: unknown[] = []
  const claimOutOfTurn = async (owner: string, seq: number): Promise<Claim | null> => {
    asked.push([owner, seq])
    return seq === 1 ? null : ({ seq } as Claim)
  }
  const outOfTurn = createOutOfTurn({ claimOutOfTurn }, 'boot')
  let woken = 0
  const leave = outOfTurn.onWork(() => woken++)
  for (const seq of [1, 2]) outOfTurn.add(seq)
  expect([await outOfTurn.claim(), await outOfTurn.claim()]).toEqual([{ seq: 2 }, null])
  expect(asked).toEqual([
    ['boot', 1],
    ['boot', 2],
  ])
  leave()
  outOfTurn.add(3)
  expect(woken).toBe(2)
})
