import { expect, test } from 'vitest'
import { createDenials, type Effects } from './denials.ts'

const effects = (text: string, more: Partial<Effects> = {}): Effects => ({ text, names: [], paths: [], ...more })
const removes = (path: string) => ({ path, use: 'remove', tree: false }) as const
const reads = (path: string) => ({ path, use: 'read', tree: false }) as const

test('what was refused is known in its turn, by what it would touch', () => {
  const denials = createDenials()
  denials.add('t1', effects('rm a', { paths: [removes('/w/a')] }))
  expect(denials.repeated('t1', effects('unlink a', { paths: [removes('/w/a')] }))).toEqual({ text: 'rm a', sure: true })
  expect(denials.repeated('t1', effects('rm b', { paths: [removes('/w/b')] }))).toBeUndefined()
  expect(denials.repeated('t2', effects('rm a', { paths: [removes('/w/a')] }))).toBeUndefined()
})

test('what was only read is none of that; a text that says too little is, where it names the file', () => {
  const denials = createDenials()
  denials.add('t', effects('cat a; rm b', { paths: [reads('/w/a'), removes('/w/b')] }))
  expect(denials.repeated('t', effects('touch a', { paths: [removes('/w/a')] }))).toBeUndefined()
  expect(denials.repeated('t', effects('head a', { paths: [reads('/w/a')] }))).toBeUndefined()
  expect(denials.repeated('t', effects('python -c b', { names: ['script-text'] }))).toEqual({ text: 'cat a; rm b', sure: true })
  expect(denials.repeated('t', effects('python -c c', { names: ['script-text'] }))).toBeUndefined()
  expect(denials.repeated('t', effects('python -c b', { names: ['own-script-text'] }))).toBeUndefined()
})

test('the same danger is worth a word', () => {
  const denials = createDenials()
  denials.add('t', effects('a', { names: ['publish'] }))
  denials.add('t', effects('b', { names: ['recursive-delete'] }))
  expect(denials.repeated('t', effects('c', { names: ['publish'] }))).toEqual({ text: 'a', sure: false })
  expect(denials.repeated('t', effects('c', { names: ['discard'] }))).toEqual({ text: 'b', sure: false })
  expect(denials.repeated('t', effects('c', { names: ['services'] }))).toBeUndefined()
})

test('only so many turns are remembered', () => {
  const denials = createDenials()
  const same = (turn: number) => denials.repeated(`t${turn}`, effects('x', { names: ['n'] }))?.text
  for (let turn = 1; turn <= 201; turn++) denials.add(`t${turn}`, effects(`c${turn}`, { names: ['n'] }))
  expect([same(1), same(2), same(201)]).toEqual([undefined, 'c2', 'c201'])
})
