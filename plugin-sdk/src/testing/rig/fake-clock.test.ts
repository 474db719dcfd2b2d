import { expect, test } from 'vitest'
import { createFakeClock } from './fake-clock.ts'
import { createFakeIds } from './fake-ids.ts'

test('wakes sleepers in order of their time, also those who go to sleep meanwhile', async () => {
  const clock = createFakeClock(0)
  const woken: string[] = []
  const sleep = async (name: string, ...pauses: number[]): Promise<void> => {
    for (const pause of pauses) {
      await clock.sleep(pause)
      woken.push(`${name}@${clock.now()}`)
    }
  }
  const all = [sleep('a', 30), sleep('b', 10, 10, 10), sleep('c', 100)]
  await clock.advance(35)
  expect(woken).toEqual(['b@10', 'b@20', 'a@30', 'b@30'])
  expect(clock.now()).toBe(35)
  expect(clock.sleeping()).toBe(1)
  await clock.advance(65)
  await Promise.all(all)
})

test('a sleeper leaves with the reason of its signal', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const sleeping = clock.sleep(1000, controller.signal)
  controller.abort(new Error('stop'))
  await expect(sleeping).rejects.toThrow('stop')
  await expect(clock.sleep(1, controller.signal)).rejects.toThrow('stop')
  expect(clock.sleeping()).toBe(0)
})

test('ids count per prefix', () => {
  const next = createFakeIds()
  expect([next('ses'), next('ses'), next('trn')]).toEqual(['ses_1', 'ses_2', 'trn_1'])
})
