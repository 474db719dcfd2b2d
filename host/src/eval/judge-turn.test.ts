import { expect, test } from 'vitest'
import { type ConversationText, conversationSchema } from './conversation-schema.ts'
import { judgeTurn, type SeenTurn } from './judge-turn.ts'

type Wanted = Readonly<Record<string, unknown>>

const turnOf = (expected: Wanted, budget: Wanted = {}): ConversationText['turns'][number] => {
  const [turn] = conversationSchema.parse({ name: 'n', turns: [{ say: 'go', expect: expected, budget }] }).turns
  if (!turn) throw new Error('it has a turn')
  return turn
}
const files: Readonly<Record<string, string>> = { 'a.txt': 'one\ntwo\n' }
const seen: SeenTurn = {
  answer: 'Two files are merged.',
  calls: [
    { name: 'read_file', args: { path: 'a.txt', limit: 5 } },
    { name: 'terminal', args: { command: 'qpdf --check a.pdf' } },
    { name: 'terminal', args: { command: 'rm b.pdf', tags: ['x', 'y'] } },
  ],
  seconds: 2,
  tokens: 900,
}
const judge = (expected: Wanted, budget?: Wanted): readonly string[] =>
  judgeTurn({
    turn: turnOf(expected, budget),
    seen,
    readFile: (path) => files[path],
    placeOf: (path) => `eval.yaml:${path.join('.')}`,
  })

test('a turn that does what is expected has no problems', () => {
  const calls = [
    { name: 'read_file', args: { path: 'a.txt', limit: 5 } },
    { name: 'terminal', args: { command: '/^qpdf/' } },
    { name: 'terminal', args: { tags: '"y"' } },
  ]
  const expected = { calls, answer: ['merged', '/\\bTWO\\b/i'], never: 'sudo', files: { 'a.txt': 'one\ntwo\n' } }
  expect(judge(expected, { calls: 3, seconds: 2, tokens: 900 })).toEqual([])
  expect(judge({ calls: calls.toReversed(), order: 'any', files: { 'a.txt': '/^two$/m' } })).toEqual([])
  expect(judge({})).toEqual([])
})

test.each<[string, Wanted, string]>([
  [
    'a call that was not made',
    { calls: [{ name: 'patch' }] },
    'expect.calls.0: a call of patch is expected, and the calls were read_file {"path"',
  ],
  [
    'an argument that is another one',
    { calls: [{ name: 'read_file', args: { limit: 6 } }] },
    'a call of read_file {"limit":6} is expected',
  ],
  [
    'an argument that is not there',
    { calls: [{ name: 'read_file', args: { offset: '0' } }] },
    'a call of read_file {"offset":"0"} is expected',
  ],
  ['a call that came too early', { calls: [{ name: 'terminal' }, { name: 'read_file' }] }, 'calls.1: the call of read_file came before'],
  ['one call that would be two', { calls: [{ name: 'read_file' }, { name: 'read_file' }], order: 'any' }, 'calls.1: a call of read_file'],
  ['an answer without a word', { answer: 'three' }, 'answer.0: the answer is expected to say "three", and it was "Two files are merged."'],
  ['an answer with a word', { never: '/merged/' }, 'never.0: /merged/ must never come, and it came in "Two files'],
  ['a call with a word', { never: 'rm b.pdf' }, 'must never come, and it came in "terminal {'],
  ['a file that differs', { files: { 'a.txt': 'one' } }, 'files.a.txt: a.txt is expected to hold "one", and it holds "one\\ntwo\\n"'],
  ['a file that is missing', { files: { 'b.txt': '/./' } }, 'b.txt is expected to hold /./, and there is no such file'],
])('it tells of %s', (_, expected, sentence) => {
  expect(judge(expected)).toEqual([expect.stringContaining(sentence)])
})

test('it tells of each budget that is overrun', () => {
  expect(judge({}, { calls: 2, seconds: 1.5, tokens: 899 })).toEqual([
    'eval.yaml:budget.calls: at most 2 calls are allowed, and it took 3',
    'eval.yaml:budget.seconds: at most 1.5 seconds are allowed, and it took 2',
    'eval.yaml:budget.tokens: at most 899 tokens are allowed, and it took 900',
  ])
})

test('that no tool was called is said so', () => {
  const none = {
    turn: turnOf({ calls: [{ name: 'patch' }] }),
    seen: { ...seen, calls: [] },
    readFile: () => undefined,
    placeOf: () => 'f:1',
  }
  expect(judgeTurn(none)).toEqual(['f:1: a call of patch is expected, and no tool was called'])
})

test('a pattern that tries all ways through a text is given up, and one with a flag that there is not is refused', () => {
  const answer = `${'a'.repeat(48)}!`
  const judging = {
    turn: turnOf({ answer: '/^(a+)+$/' }),
    seen: { ...seen, answer },
    readFile: () => undefined,
    placeOf: () => 'eval.yaml:1',
  }
  expect(() => judgeTurn(judging)).toThrow('The pattern /^(a+)+$/ did not finish within 1000 ms')
  expect(() => turnOf({ never: '/I AM/gx' })).toThrow('gx')
})
