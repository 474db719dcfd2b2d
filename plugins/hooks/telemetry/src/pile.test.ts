import { expect, test } from 'vitest'
import { createPile, type Taken } from './pile.ts'

const textsIn = ({ bytes, ends }: Taken): readonly string[] => ends.map((end, at) => bytes.toString('utf8', ends[at - 1] ?? 0, end - 1))

test('what was added comes out whole and in its order, whatever its letters and its length', () => {
  const pile = createPile()
  const long = 'ä€😀'.repeat(40_000)
  for (const text of ['one', long, '', 'two']) pile.add(text)
  expect(pile.count()).toBe(4)
  const taken = pile.take()
  expect(textsIn(taken)).toEqual(['one', long, '', 'two'])
  expect([pile.count(), pile.take().bytes.length]).toEqual([0, 0])
})

test('the oldest are forgotten, and what was taken lies below what came since', () => {
  const pile = createPile()
  for (let at = 0; at < 10; at++) pile.add(`${at}`)
  pile.drop(2)
  const taken = pile.take()
  pile.add('10')
  pile.add('11')
  pile.putBack(taken)
  expect(pile.count()).toBe(10)
  pile.drop(1)
  pile.add('12')
  // More is forgotten than is kept.
  pile.drop(6)
  expect(pile.count()).toBe(4)
  expect(textsIn(pile.take())).toEqual(['9', '10', '11', '12'])
})
