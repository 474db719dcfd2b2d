import { expect, test } from 'vitest'
import { createOffers } from './offers.ts'

test('what a person says is offered in order, again and again until it is taken', async () => {
  const given: string[] = []
  const answers = [false, new Error('nobody is there'), true, true, true]
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const offers = createOffers<string>(async (thing) => {
    given.push(thing)
    const answer = answers.shift()
    if (answers.length === 0) finish()
    if (answer instanceof Error) throw answer
    return answer ?? false
  })
  expect(offers.isEmpty()).toBe(true)
  offers.add(0, 'first')
  offers.add(0, 'second')
  offers.repeat()
  expect(offers.isEmpty()).toBe(false)
  await finished
  await new Promise((resolve) => setImmediate(resolve))
  expect(given).toEqual(['first', 'first', 'first', 'second', 'second'])
  expect(offers.isEmpty()).toBe(true)
  offers.stop()
})

test('nothing is offered after the end', async () => {
  let count = 0
  const offers = createOffers<string>(async () => {
    count += 1
    return false
  })
  offers.stop()
  offers.add(0, 'late')
  expect(count).toBe(0)
  expect(offers.isEmpty()).toBe(false)
})
