import { expect, test } from 'vitest'
import { root } from '../../repo/source-files.ts'
import { findBroken } from './apply-break.ts'
import { type Break, breaks } from './breaks.ts'

test.each(breaks.map((one): [string, Break] => [one.name, one]))('there is something to break: %s', (_, one) => {
  expect(findBroken(root, one).text).toContain(one.find)
})

test('a break whose file has moved or whose text has changed says so', () => {
  const [one] = breaks
  if (!one) throw new Error('There is no break.')
  expect(() => findBroken(root, { ...one, file: 'no-such-file.ts' })).toThrow('0 paths in host/src end so')
  expect(() => findBroken(root, { ...one, find: 'no such text' })).toThrow('stands 0 times')
  expect(() => findBroken(root, { ...one, find: '\n' })).toThrow(/stands \d+ times/)
})
