import { expect, test } from 'vitest'
import { createMadeUpNames } from './made-up-names.ts'

test('a name has one address of each family, which leads back to it; an address stands for itself', () => {
  const names = createMadeUpNames()
  const [a, b] = ['a.example', 'b.example'].map((name) => names.addressOf(name, 4))
  expect([a, b]).toEqual([
    { address: '198.18.0.1', family: 4 },
    { address: '198.18.0.2', family: 4 },
  ])
  expect(names.addressOf('a.example', 4)).toEqual(a)
  expect(names.addressOf('b.example', 6)).toEqual({ address: '2001:2::0:2', family: 6 })
  expect(['198.18.0.1', '2001:2::0:2', '198.18.0.9', 'c.example'].map((each) => names.nameOf(each))).toEqual([
    ...['a.example', 'b.example', '198.18.0.9', 'c.example'],
  ])
  expect(names.addressOf('::1', 4)).toEqual({ address: '::1', family: 6 })
  expect(names.nameOf('::1')).toBe('::1')
})

test('after 65,535 names the second half of the block is used, and after all of it the first address again', () => {
  const names = createMadeUpNames()
  const last = (count: number): string => {
    for (let at = 0; at < count; at++) names.addressOf(`n${at}`, 4)
    return names.addressOf(`n${count}`, 4).address
  }
  expect(last(65_535)).toBe('198.19.0.0')
  expect(last(2 ** 17)).toBe('198.18.0.1')
  expect(names.nameOf('198.18.0.1')).toBe(`n${2 ** 17}`)
})
