import { expect, test } from 'vitest'
import { addThing, findThings, removeThing } from './shopping-list.ts'

const milk = { thing: 'milk', at: 1 }

test('a thing comes last, and goes by its name', () => {
  const bread = { thing: 'bread', at: 2 }
  expect(addThing([milk], bread, 2)).toEqual([milk, bread])
  expect(removeThing([milk, bread], 'milk')).toEqual([bread])
})

test('what cannot be done is refused in words', () => {
  expect(() => addThing([milk], milk, 9)).toThrow('milk is on it')
  expect(() => addThing([milk], { thing: 'bread', at: 2 }, 1)).toThrow('full with 1 things')
  expect(() => removeThing([milk], 'bread')).toThrow('bread is not on it')
  expect(() => removeThing([milk], undefined)).toThrow('nothing is not on it')
})

test('a thing is found by a part of its name', () => {
  expect(findThings([milk, { thing: 'Brown bread', at: 2 }], ' BREAD')).toEqual([{ thing: 'Brown bread', at: 2 }])
  expect(findThings([milk], '')).toEqual([milk])
})
