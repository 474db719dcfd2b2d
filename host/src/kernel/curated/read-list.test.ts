import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { findObjection, findPin } from './judge.ts'
import { readList } from './read-list.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const sound = {
  ...{ format: 1, name: 'ACME', issued: '2026-11-29T08:00:00Z' },
  entries: [{ package: 'agent-plugin-dice', range: '^1.0.0', kind: 'toolset', note: 'For games.' }, { package: 'agent-plugin-mail' }],
  blocked: [{ package: 'agent-plugin-evil', reason: 'it steals' }],
  withdrawn: [{ package: 'agent-plugin-dice', versions: ['1.1.0'], reason: 'it always rolls 4' }],
}
const read = (list: unknown, more: { readonly key?: string; readonly signature?: string } = {}) => {
  const bytes = Buffer.from(typeof list === 'string' ? list : JSON.stringify(list))
  return readList(bytes, more.signature ?? sign(null, bytes, privateKey).toString('base64'), more.key ?? key)
}

test('a list whose signature fits says what is recommended, blocked and withdrawn', () => {
  const lists = [read({ ...sound, entries: [], blocked: [], withdrawn: [] }), read(sound)]
  expect(findPin(lists, 'agent-plugin-dice')).toEqual({ catalog: 'ACME', range: '^1.0.0' })
  expect(findPin(lists, 'agent-plugin-mail')).toBeUndefined()
  expect(findObjection(lists, { package: 'agent-plugin-evil', version: '9.0.0' })).toEqual({
    type: 'blocked',
    catalog: 'ACME',
    reason: 'it steals',
  })
  expect(findObjection(lists, { package: 'agent-plugin-dice', version: '1.1.0' })?.type).toBe('withdrawn')
  expect(findObjection(lists, { package: 'agent-plugin-dice', version: '1.2.0' })).toBeUndefined()
})

const other = generateKeyPairSync('ed25519')
const strange = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
test.each([
  [
    'another key',
    sound,
    { key: other.publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
    'a signature that does not fit',
  ],
  ['another text', sound, { signature: sign(null, Buffer.from('{}'), privateKey).toString('base64') }, 'a signature that does not fit'],
  ['no signature', sound, { signature: '' }, 'a signature that does not fit'],
  ['a key that is none', sound, { key: 'hello' }, 'no ed25519 key'],
  ['a key of another kind', sound, { key: strange }, 'no ed25519 key'],
  ['no JSON', 'hello', {}, 'is no JSON'],
  ['a later format', { ...sound, format: 2 }, {}, 'another format than 1'],
  ['no time', { ...sound, issued: 'today' }, {}, 'no name and time'],
  ['a block without a reason', { ...sound, blocked: [{ package: 'x' }] }, {}, 'a wrong row in blocked, number 1'],
  [
    'a range that npm would take for an option',
    { ...sound, entries: [{ package: 'x', range: 'http://evil' }] },
    {},
    'a wrong row in entries',
  ],
  ['versions that are none', { ...sound, withdrawn: [{ package: 'x', versions: '1.0.0', reason: 'y' }] }, {}, 'a wrong row in withdrawn'],
  ['no list', { ...sound, entries: {} }, {}, 'no list as entries'],
])('%s is not believed', (_name, list, more, problem) => {
  expect(() => read(list, more)).toThrow(problem)
})
