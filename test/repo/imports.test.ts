import { expect, test } from 'vitest'
import { findSpecifiers, packageOf } from './imports.ts'

test('every form of import is seen', () => {
  const text = `import a from 'one'
import type { B } from "two"
import {
  c,
  d,
} from './three.ts'
import 'four'
export { e } from '#store/five.ts'
const load = () => import('six/deep')
`
  expect(findSpecifiers(text)).toEqual(['one', 'two', './three.ts', 'four', '#store/five.ts', 'six/deep'])
})

test('a specifier names its package', () => {
  expect(['@a/b/c', 'zod/mini', 'node:fs/promises'].map(packageOf)).toEqual(['@a/b', 'zod', 'node:fs'])
})
