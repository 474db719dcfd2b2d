import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { createTree, inTurn } from './tree.ts'

test('one question at a time, in their order; who leaves the queue lets nobody pass the one before', async () => {
  const tree = createTree('ses_1', 'trn_1')
  const answers: (() => void)[] = []
  const asked: string[] = []
  const leaving = new AbortController()
  const ask = (name: string, signal: AbortSignal = new AbortController().signal): Promise<string> =>
    inTurn(tree, { clock: systemClock, signal }, async () => {
      asked.push(name)
      await new Promise<void>((resolve) => answers.push(resolve))
      return name
    })
  const first = ask('first')
  const second = ask('second', leaving.signal)
  const third = ask('third')
  leaving.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  expect(asked).toEqual(['first'])
  answers[0]?.()
  expect(await first).toBe('first')
  await expect.poll(() => asked).toEqual(['first', 'third'])
  answers[1]?.()
  expect(await third).toBe('third')
})
