import { expect, test } from 'vitest'
import { createWasUnheld } from './was-unheld.ts'

test('what was named, what lay in a repository, and what is below rules that changed may have stood there', () => {
  const wasUnheld = createWasUnheld(
    ['large.bin', 'nested/'],
    [
      { path: 'sub/.gitignore', status: 'M' },
      { path: 'new/.gitignore', status: 'A' },
      { path: 'x.gitignore', status: 'D' },
    ],
  )
  const paths = ['large.bin', 'nested/deep/a', 'sub/a.log', 'sub/deep/a.log', 'nested', 'new/a', 'a', 'subs/a']
  expect(paths.filter(wasUnheld)).toEqual(paths.slice(0, 4))
  expect(createWasUnheld([], [{ path: '.gitignore', status: 'D' }])('anything')).toBe(true)
})
