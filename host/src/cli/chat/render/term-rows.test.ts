import { expect, test } from 'vitest'
import { print } from './style.ts'
import { termRows } from './term-rows.ts'

const rows = [
  ['/new', 'Start a new session'],
  ['/日本', 'Wide letters take two columns each, and a long text goes on below its first line'],
  ['/reasoning [none|low|medium|high]', 'Set how hard it thinks'],
  ['/alone', ''],
] as const

const at = (columns: number): readonly string[] => termRows(rows, columns).map((line) => print(line, false))

test('texts stand in one column; a long term stands above its text', () => {
  expect(at(60)).toEqual([
    '/new    Start a new session',
    '/日本   Wide letters take two columns each, and a long text',
    '        goes on below its first line',
    '/reasoning [none|low|medium|high]',
    '        Set how hard it thinks',
    '/alone',
  ])
})

test('in a narrow window each text stands below its term, and no line is wider than the window', () => {
  expect(at(30)).toEqual([
    '/new',
    '    Start a new session',
    '/日本',
    '    Wide letters take two',
    '    columns each, and a long',
    '    text goes on below its',
    '    first line',
    '/reasoning',
    '[none|low|medium|high]',
    '    Set how hard it thinks',
    '/alone',
  ])
})

test('neither a term nor its text brings control characters', () => {
  const shown = termRows([['a\u001b[2Jb', 'c\u001b]0;x\u0007d']], 60).map((line) => print(line, false))
  expect(shown.join('\n')).not.toMatch(/\p{Cc}(?<!\n)/u)
  expect(shown).toHaveLength(1)
})
