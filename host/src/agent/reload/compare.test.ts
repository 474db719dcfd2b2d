import { expect, test } from 'vitest'
import type { AnyContribution } from '#kernel/catalog/catalog.ts'
import { compare, type Known } from './compare.ts'

const known = (whole: string, more: { readonly code?: string; readonly inProcess?: boolean } = {}): Known => ({
  contribution: { kind: 'toolset', id: whole } as AnyContribution,
  print: { whole, code: more.code ?? 'code' },
  inProcess: more.inProcess ?? true,
})
const changesOf = (before: Known | undefined, after: Known | undefined): readonly (readonly [string, boolean])[] => {
  const mapOf = (one: Known | undefined) => new Map(one ? [['toolset:mine', one]] : [])
  return compare(mapOf(before), mapOf(after)).map(({ type, needsRestart }) => [type, needsRestart])
}

test('what comes, goes and differs is named, and what stays as it is is not', () => {
  expect(changesOf(undefined, known('a'))).toEqual([['added', false]])
  expect(changesOf(known('a'), undefined)).toEqual([['removed', false]])
  expect(changesOf(known('a'), known('b'))).toEqual([['changed', false]])
  expect(changesOf(known('a'), known('a'))).toEqual([])
})

test('other code needs a start only where both run in this process', () => {
  const [old, now] = [{ code: 'old' }, { code: 'new' }]
  expect(changesOf(known('a', old), known('b', now))).toEqual([['changed', true]])
  expect(changesOf(known('a', { ...old, inProcess: false }), known('b', now))).toEqual([['changed', false]])
  expect(changesOf(known('a', old), known('b', { ...now, inProcess: false }))).toEqual([['changed', false]])
})
