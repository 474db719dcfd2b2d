import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { within } from './judge-path.ts'

test.each([
  ['/home/ann', '/home/ann', ''],
  ['/home/ann/a/b', '/home/ann', 'a/b'],
  ['/home/anna', '/home/ann', undefined],
  ['/home', '/home/ann', undefined],
  ['/HOME/Ann/A', '/home/ann', 'a'],
  ['/a', '/', 'a'],
  ['/', '/', ''],
  ['/home/ann/..b', '/home/ann', '..b'],
  ['/home/ann/../bob', '/home/ann', undefined],
  ['/home/bob/../ann/a', '/home/ann', 'a'],
  ['/home/ann//a/./b/', '/home/ann/', 'a/b'],
])('the way to %s from %s is %j', (path, folder, way) => {
  expect(within(path, folder)).toBe(way)
})

test('whatever a path is made of, the way is the one that the system would go', () => {
  const parts = ['a', 'B', '..', '.', '', '..c', '.d', 'a b', '...']
  const paths = parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => `/${[one, two, three].join('/')}`)))
  const wrong = paths.flatMap((path) =>
    ['/', '/a', '/a/', '/a/b', '/A/..', '/.d', '/..c/.'].filter((folder) => {
      const way = relative(folder.toLowerCase(), path.toLowerCase())
      const isInside = join(way, '.') !== '..' && !way.startsWith('../')
      return within(path, folder) !== (isInside ? way : undefined)
    }),
  )
  expect(wrong).toEqual([])
})
