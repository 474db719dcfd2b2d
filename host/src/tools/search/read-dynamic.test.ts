import { expect, test } from 'vitest'
import { type DynamicList, readDynamic } from './read-dynamic.ts'

type Tool = DynamicList['tools'][number]

const parameters = { type: 'object', properties: {} }
const given = (name: string, more: object = {}): Tool => ({ name, description: 'Does it.', parameters, effect: 'read', ...more }) as Tool
const read = (...tools: readonly unknown[]) => readDynamic({ revision: '1', sources: [], tools: tools as Tool[] }, 'far_')
const readOne = (more: object) => read(given('far_one', more)).tools[0]

test('a tool has what it says, and the cautious value where it says nothing', () => {
  const cautious = { effect: 'read', replaySafe: false, parallel: false, guards: [], timeoutMs: 300_000 }
  expect(readOne({})).toEqual({ name: 'far_one', description: 'Does it.', parameters, ...cautious })
  const said = { effect: 'external', replaySafe: true, parallel: true, timeoutMs: 7, asks: 'it sends', onlyPeople: true, rule: 'far/one' }
  expect(readOne(said)).toEqual({ name: 'far_one', description: 'Does it.', parameters, guards: [], ...said })
  expect(readOne({ replaySafe: 'yes', parallel: 1, timeoutMs: 'long', asks: '' })).toEqual(readOne({}))
  for (const timeoutMs of [0, -1, 1.5]) expect(readOne({ timeoutMs })?.timeoutMs).toBe(300_000)
  expect(readOne({ asks: 7 })).not.toHaveProperty('asks')
  expect(readOne({ onlyPeople: true })).not.toHaveProperty('onlyPeople')
})

test('what it says of itself is cut, and loses what nobody sees', () => {
  expect(readOne({ description: 'x'.repeat(3000) })?.description).toHaveLength(2000)
  expect(readOne({ asks: 'x'.repeat(600) })?.asks).toHaveLength(500)
  expect(readOne({ asks: 'se\u200bnds', description: 'Hid\u200bden.' })).toMatchObject({ asks: 'sends', description: 'Hidden.' })
  expect(readOne({ parameters: { type: 'object', description: 'Hid\u200bden.' } })?.parameters).toEqual({
    type: 'object',
    description: 'Hidden.',
  })
})

test.each([
  ['a name of another toolset', given('near_one'), 'a name begins with far_'],
  ['a name with a blank', given('far_ one'), 'a name begins with far_'],
  ['a name that begins with a sign', given('_far_one'), 'a name begins with far_'],
  ['a name that is too long', given(`far_${'x'.repeat(61)}`), 'at most 64 letters'],
  ['no name', { ...given(''), name: undefined }, 'undefined is left out'],
  ['a description that is no text', given('far_one', { description: 7 }), 'it has no description or no effect'],
  ['an effect that nobody knows', given('far_one', { effect: 'harmless' }), 'it has no description or no effect'],
  ['a rule that is none', given('far_one', { rule: 7 }), 'its rule is not read'],
  ['a rule of two', given('far_one', { rule: 'a, b' }), 'its rule is not read'],
  ['an empty rule', given('far_one', { rule: '' }), 'its rule is not read'],
  ['a rule that is too long', given('far_one', { rule: 'x'.repeat(201) }), 'its rule is not read'],
  ['a schema of no object', given('far_one', { parameters: { type: 'string' } }), 'its arguments are no object with names'],
  ['no schema', given('far_one', { parameters: null }), 'far_one is left out: '],
])('a tool with %s is left out, and the sentence says so', (_name, tool, sentence) => {
  const { tools, refused } = read(tool, given('far_two'))
  expect([tools.map(({ name }) => name), refused]).toEqual([['far_two'], [expect.stringContaining(sentence)]])
})

test('the longest name and the longest rule are taken, and nothing that is no tool keeps the others out', () => {
  const name = `far_${'x'.repeat(60)}`
  expect(read(null, given(name, { rule: 'x'.repeat(200) })).tools).toMatchObject([{ name }])
})

test('of too many tools the first are taken, and how many are left out is told', () => {
  const many = (count: number) => read(...Array.from({ length: count }, (_, at) => given(`far_${at}`)))
  expect(many(2000).refused).toEqual([])
  const { tools, refused } = many(2003)
  expect([tools.length, refused]).toEqual([2000, ['3 tools are left out: more than 2000 are not taken.']])
})
