import { expect, test } from 'vitest'
import { parseCommands } from './parse-commands.ts'

/** Each command: what it sets, its words, where they go and what it is fed. */
const readOf = (source: string): readonly unknown[] =>
  parseCommands(source, new Map([['HOME', '/home/ann']])).pipelines.flatMap(({ commands }) =>
    commands.map(({ words, assignments, redirects, input }) => [
      ...assignments.map(({ name, value }) => `${name}=${value}`),
      ...words.map((word) => `<${word}>`),
      ...redirects.map(({ operator, target }) => `${operator} ${target}`),
      ...(input === '' ? [] : [`fed: ${input}`]),
    ]),
  )

test.each([
  ['A=1 ls', [['A=1', '<ls>']]],
  ['A+=1 ls', [['A=1', '<ls>']]],
  ['"A=1" ls', [['<A=1>', '<ls>']]],
  ['A"=1" ls', [['<A=1>', '<ls>']]],
  ['$HOME=1 ls', [['</home/ann=1>', '<ls>']]],
  ['1A=1 ls', [['<1A=1>', '<ls>']]],
  ['ls A=1', [['<ls>', '<A=1>']]],
  ['A=b; echo $A', [['A=b'], ['<echo>', '<b>']]],
  ['ls a\\ b', [['<ls>', '<a b>']]],
  ['ls \\\n a', [['<ls>', '<a>']]],
  ['ls a\\\nb', [['<ls>', '<ab>']]],
  ['ls "a\\\nb"', [['<ls>', '<ab>']]],
  ['ls "a\\"b\\$c\\d"', [['<ls>', '<a"b$c\\d>']]],
  [`ls 'a"b'`, [['<ls>', '<a"b>']]],
  ['ls "a  b" c', [['<ls>', '<a  b>', '<c>']]],
  ['rm {a,b}c', [['<rm>', '<ac>', '<bc>']]],
  ['rm {a,b}{1,2}', [['<rm>', '<a1>', '<a2>', '<b1>', '<b2>']]],
  ['rm "{a,b}"', [['<rm>', '<{a,b}>']]],
  ['rm {a}', [['<rm>', '<{a}>']]],
  ['ls > a 2>> b', [['<ls>', '> a', '>> b']]],
  ['sh <<E\nls a\nE', [['<sh>', 'fed: ls a']]],
  ['sh <<< "ls a"', [['<sh>', 'fed: ls a']]],
  ['ls # rm a', [['<ls>']]],
])('%j is read as %j', (source, commands) => {
  expect(readOf(source)).toEqual(commands)
})

test.each(['ls "a', "ls 'a", 'ls $(a', 'ls `a', 'ls "a\\'])('%j does not close, and is refused', (source) => {
  expect(() => readOf(source)).toThrow('do not close')
})

test('braces beside braces end somewhere', () => {
  const [command] = readOf(`rm ${'{a,b}'.repeat(40)}`) as readonly string[][]
  expect(command?.length).toBeLessThan(300)
})

test.each([
  ['ls $(rm a) `rm b` <(rm c)', ['rm a', 'rm b', 'rm c']],
  ['ls "$(rm a) `rm b`"', ['rm a', 'rm b']],
  [`ls '$(rm a)'`, []],
  ['cat <<E\n$(rm a)\nE', ['rm a']],
  [`cat <<'E'\n$(rm a)\nE`, []],
])('what stands inside of %j is found', (source, nested) => {
  expect(parseCommands(source, new Map()).nested).toEqual(nested)
})

test('what is joined, left alone or put in brackets is told', () => {
  const { pipelines } = parseCommands('ls | wc & (cd a; ls)', new Map())
  expect(pipelines.map(({ commands, background, opens, closes }) => [commands.length, background, opens, closes])).toEqual([
    [2, true, 0, 0],
    [1, false, 1, 0],
    [1, false, 0, 1],
  ])
})
