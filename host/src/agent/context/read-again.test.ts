import { estimateTokens, type ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { putReadings, readRulesAgain, readSkillsAgain, takeOutReadings } from './read-again.ts'

const user = (...texts: string[]): ModelMessage => ({ role: 'user', parts: texts.map((text) => ({ type: 'text', text })) })
const view = (args: string, name = 'skill_view'): ModelMessage => ({ role: 'assistant', parts: [{ type: 'call', id: 'c', name, args }] })
const reader = {
  list: async () => [],
  view: async ({ name, session }: { readonly name: string; readonly session: string }) => {
    if (name === 'gone' || session !== 's1') throw new Error('it is not there')
    return `How to ${name}.`
  },
}

/** What is read again, and which skills are not. */
async function read(skills: readonly string[], room = 1000) {
  const lost: string[] = []
  const part = await readSkillsAgain(skills, reader, {
    session: 's1',
    room,
    onLost: (skill, problem) => void lost.push(`${skill}: ${problem}`),
  })
  return { part, lost, text: part?.type === 'text' ? part.text : '' }
}

test('the skills of a conversation are those that were viewed, the last one at the end, each once', () => {
  const messages = [user('hi'), view('{"name":"a"}'), view('{"name":"b"}'), view('{"name":"a"}')]
  expect(takeOutReadings(messages)).toEqual({ messages, skills: ['b', 'a'] })
  const others = [view('{"name":"a","file":"x.md"}'), view('{"name":7}'), view('{"na'), view('{"name":"a"}', 'read')]
  expect(takeOutReadings([user('hi'), ...others]).skills).toEqual([])
})

test('what was read again at an earlier time is taken out, and read once more', async () => {
  const { part } = await read(['a', 'b'])
  const messages = putReadings([user('notes'), user('now')], part ? [part] : [])
  expect(messages).toEqual([{ role: 'user', parts: [part, { type: 'text', text: 'notes' }] }, user('now')])
  expect(takeOutReadings(messages)).toEqual({ messages: [user('notes'), user('now')], skills: ['a', 'b'] })
})

test('nothing is put before what is not said by a person, and nothing where there is nothing', async () => {
  const { part } = await read(['a'])
  const answer: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] }
  expect(putReadings([answer], part ? [part] : [])).toEqual([answer])
  expect(putReadings([user('notes')], [])).toEqual([user('notes')])
  expect(await read([])).toEqual({ part: undefined, lost: [], text: '' })
})

test('the skills used last are read first, as far as there is room, and what is not read is told', async () => {
  const section = estimateTokens('## skill a\n\nHow to a.')
  const all = await read(['a', 'b'], section * 2)
  expect([all.text.match(/How to \w\./g), all.lost]).toEqual([['How to a.', 'How to b.'], []])
  const one = await read(['a', 'b'], section * 2 - 1)
  expect([one.text.match(/How to \w\./g), one.lost]).toEqual([['How to b.'], ['a: there is no room for it']])
  expect(await read(['a'], section - 1)).toMatchObject({ part: undefined, lost: ['a: there is no room for it'] })
  const gone = await read(['a', 'gone'])
  expect([gone.text.match(/How to \w\./g), gone.lost]).toEqual([['How to a.'], ['gone: it is not there']])
})

/** The rules that are read again, and the files that are not. */
function readRules(names: readonly string[], room = 1000, gone: readonly string[] = []) {
  const lost: string[] = []
  const files = names.map((path) => ({ path, text: `Rules of ${path}.` }))
  const part = readRulesAgain({ files, gone, notes: [] }, { room, onLost: (file) => void lost.push(file) })
  return { part, lost, rules: part?.type === 'text' ? part.text.match(/Rules of \w\./g) : null }
}

test('rules are read again as far as there is room, the nearest file first, and what is not read is told', () => {
  const { part, ...all } = readRules(['a', 'b'])
  expect(all).toEqual({ lost: [], rules: ['Rules of a.', 'Rules of b.'] })
  const tokens = estimateTokens(part)
  expect(readRules(['a', 'b'], tokens / 1.3)).toMatchObject({ lost: ['a'], rules: ['Rules of b.'] })
  expect(readRules(['a'], 1)).toEqual({ part: undefined, lost: ['a'], rules: null })
  expect(readRules([]).part).toBeUndefined()
  expect(readRules([], 1000, ['c']).part).toMatchObject({ text: expect.stringContaining('c is not followed any more') })
})

test('rules that were read again are taken out, and name no skill', () => {
  const rule = readRulesAgain({ files: [{ path: 'a', text: '## skill b' }], gone: [], notes: [] }, { room: 1000, onLost: () => undefined })
  const messages = putReadings([user('notes')], rule ? [rule] : [])
  expect(messages).toEqual([{ role: 'user', parts: [rule, { type: 'text', text: 'notes' }] }])
  expect(takeOutReadings(messages)).toEqual({ messages: [user('notes')], skills: [] })
})
