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
  ['rm $1a$B1', [['<rm>', '<a$B1>']]],
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
  ['ls a#b', [['<ls>', '<a#b>']]],
  ['# a\nls', [['<ls>']]],
  ['ls;pwd', [['<ls>'], ['<pwd>']]],
  ['ls&&pwd||id', [['<ls>'], ['<pwd>'], ['<id>']]],
  ['ls |& wc', [['<ls>'], ['<wc>']]],
  ['ls >a 2>&1', [['<ls>', '> a', '>& 1']]],
  ['ls &> a', [['<ls>', '&> a']]],
  ['ls >| a', [['<ls>', '>| a']]],
  ['ls <> a', [['<ls>', '<> a']]],
  ['cat <<-E\n\tls a\n\tE\npwd', [['<cat>', 'fed: \tls a'], ['<pwd>']]],
  ['cat <<E\n\tE\nE', [['<cat>', 'fed: \tE']]],
  ['cat <<A <<B\none\nA\ntwo\nB\nls', [['<cat>', 'fed: onetwo'], ['<ls>']]],
  ['cat <<E; ls\na\nE', [['<cat>', 'fed: a'], ['<ls>']]],
  ['cat <<E\nno end', [['<cat>', 'fed: no end']]],
  ["ls $'a\\x41\\101\\u0041\\n\\q\\''", [['<ls>', "<aAAA\nq'>"]]],
  ['ls $"a b"', [['<ls>', '<a b>']]],
  ['ls a$ b', [['<ls>', '<a$>', '<b>']]],
  ['ls "$\'a\'"', [['<ls>', "<$'a'>"]]],
  ['ls "\\`"', [['<ls>', '<`>']]],
  ['ls $((1 + (2)))', [['<ls>', '<0>']]],
  ['ls ""', [['<ls>', '<>']]],
  ['ls $UNKNOWN $1 "$@"', [['<ls>', '<$UNKNOWN>', '<>']]],
  [`ls \${HOME} \${UNSET:-a} \${UNSET-"b c"}`, [['<ls>', '</home/ann>', '<a>', '<b>', '<c>']]],
  ['A="b c"; ls $A "$A"', [['A=b c'], ['<ls>', '<b>', '<c>', '<b c>']]],
  ['A=" b"; ls x$A', [['A= b'], ['<ls>', '<x>', '<b>']]],
  [
    'A=b ls; ls $A',
    [
      ['A=b', '<ls>'],
      ['<ls>', '<$A>'],
    ],
  ],
  ['for f in a b; do rm $f; done', [['<for>', '<f>', '<in>', '<a>', '<b>'], ['<do>', '<rm>', '<a>', '<b>'], ['<done>']]],
  [
    'read -r f <<< a; rm $f',
    [
      ['<read>', '<-r>', '<f>', 'fed: a'],
      ['<rm>', '<a>'],
    ],
  ],
  [
    'read f <<< " a "; rm $f',
    [
      ['<read>', '<f>', 'fed:  a '],
      ['<rm>', '<a>'],
    ],
  ],
  [
    'cat f <<< a; rm $f',
    [
      ['<cat>', '<f>', 'fed: a'],
      ['<rm>', '<$f>'],
    ],
  ],
  ['F=(a); rm $F', [['F='], ['<a>'], ['<rm>', '<$F>']]],
  ['B=x; A$B=1 ls', [['B=x'], ['<Ax=1>', '<ls>']]],
  ['ls $(echo a b)', [['<ls>', '<a>', '<b>']]],
  ['ls `echo a b` "`echo a b`"', [['<ls>', '<a>', '<b>', '<a b>']]],
  [`ls \${}`, [['<ls>', '<$>']]],
  ['ls $(echo -n a)', [['<ls>', '<a>']]],
  ['ls "$(printf "%s-%s" a b)"', [['<ls>', '<a-b>']]],
  ['ls $(printf "%s " a b)', [['<ls>', '<a>', '<b>']]],
  ['ls "$(echo \'\\x61\\t\\142\')"', [['<ls>', '<a\tb>']]],
  ['ls $(echo a | rev)', [['<ls>', '<$(echo a | rev)>']]],
  ['ls $(echo a > b)', [['<ls>', '<$(echo a > b)>']]],
  ['ls $(pwd)/a', [['<ls>', '<$(pwd)/a>']]],
  ['diff <(ls a) b', [['<diff>', '<<(ls a)>', '<b>']]],
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
  [`ls $(echo ')' "\\")" \\) $(rm a))`, [`echo ')' "\\")" \\) $(rm a)`]],
  [`ls \${A:-$(rm a)}`, [': A:-$(rm a)']],
  ['ls `echo \\`rm a\\``', ['echo `rm a`']],
  ['ls $((1 + 2))', []],
  ['ls $((rm a); (rm b))', ['(rm a); (rm b)']],
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
