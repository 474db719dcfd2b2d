import { expect, test } from 'vitest'
import { canonicalJson, hashSurface, isWider, surfaceOf } from './plugin-surface.ts'

const tool = (name: string, effect = 'read') => ({ name, effect, description: 'x' })
const written = (more: object = {}) => ({
  contributes: { toolsets: [{ id: 'notes', tools: [tool('read_note')] }] },
  permissions: { net: { value: ['a.example'], reason: 'notes live there' } },
  env: [{ name: 'NOTE_TOKEN', secret: true, required: true, prompt: 'Token' }],
  ...more,
})
const agreed = surfaceOf(written())

test('a surface is what somebody agrees to, whatever order it is written in', () => {
  expect(agreed).toEqual({
    contributions: ['toolsets:notes'],
    tools: [{ name: 'read_note', effect: 'read' }],
    permissions: { net: { value: ['a.example'], reason: 'notes live there' } },
    env: [{ name: 'NOTE_TOKEN', secret: true, required: true, prompt: 'Token' }],
  })
  const { contributes, permissions, env } = written()
  expect(hashSurface(surfaceOf({ version: '2.0.0', env, permissions, contributes }))).toBe(hashSurface(agreed))
  expect(canonicalJson({ b: [1, { d: null, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":null}]}')
})

test.each([
  ['another part', { contributes: { toolsets: [{ id: 'notes', tools: [tool('read_note')] }], holograms: [{ id: 'h' }] } }],
  ['another tool', { contributes: { toolsets: [{ id: 'notes', tools: [tool('read_note'), tool('write_note')] }] } }],
  ['another effect of a tool', { contributes: { toolsets: [{ id: 'notes', tools: [tool('read_note', 'external')] }] } }],
  ['another host', { permissions: { net: { value: ['a.example', 'b.example'], reason: 'notes live there' } } }],
  ['every host', { permissions: { net: { value: 'any', reason: 'notes live there' } } }],
  ['another permission', { permissions: { ...written().permissions, run: { value: ['git'], reason: 'history' } } }],
  ['a folder to write', { permissions: { ...written().permissions, fs: { value: { read: [], write: ['$data'] }, reason: 'cache' } } }],
  ['another variable', { env: [...written().env, { name: 'NOTE_USER', secret: false, required: false, prompt: 'User' }] }],
])('%s is wider', (_, change) => {
  expect(isWider(agreed, surfaceOf(written(change)))).toBe(true)
})

test.each([
  ['the same', {}],
  ['another reason', { permissions: { net: { value: ['a.example'], reason: 'they still live there' } } }],
  ['no network', { permissions: { net: { value: 'none', reason: 'all is local now' } } }],
  ['no permission', { permissions: {} }],
  ['an empty list of folders', { permissions: { fs: { value: { read: [], write: [] }, reason: 'none' } } }],
  ['fewer variables', { env: [] }],
])('%s is not wider', (_, change) => {
  expect(isWider(agreed, surfaceOf(written(change)))).toBe(false)
})

test('another hook, or one for more, is wider', () => {
  const listening = (hooks: readonly object[]) => surfaceOf({ contributes: { hooks: [{ id: 'guard', hooks }] } })
  const before = listening([{ name: 'tool.before', filter: { tool: ['terminal'] } }])
  expect(before.contributions).toEqual(['hooks:guard', 'hooks:guard:tool.before {"tool":["terminal"]}'])
  expect(isWider(before, listening([{ name: 'tool.before', filter: { tool: ['terminal'] } }]))).toBe(false)
  expect(isWider(before, listening([{ name: 'tool.before' }]))).toBe(true)
  expect(isWider(before, listening([{ name: 'tool.before', filter: { tool: ['terminal'] } }, { name: 'message.inbound' }]))).toBe(true)
  expect(isWider(before, listening([]))).toBe(false)
})

test('another command is wider; other words for the same are not', () => {
  const offering = (...commands: readonly object[]) => surfaceOf({ contributes: { commands: [{ id: 'dice', commands }] } })
  const before = offering({ name: 'roll', summary: 'Roll' })
  expect(before.contributions).toEqual(['commands:dice', 'commands:dice:roll'])
  expect(isWider(before, offering({ name: 'roll', summary: 'Roll a die', aliases: ['r'] }))).toBe(false)
  expect(isWider(before, offering({ name: 'roll' }, { name: 'toss' }))).toBe(true)
})

test('what covers everything covers each host', () => {
  const any = surfaceOf(written({ permissions: { net: { value: 'any', reason: 'x' } } }))
  expect(isWider(any, agreed)).toBe(false)
})

test('who agreed to everything has agreed to everything the next time too', () => {
  const any = surfaceOf(written({ permissions: { net: { value: 'any', reason: 'x' } } }))
  expect(isWider(any, any)).toBe(false)
})

test('a platform that takes the word of its source, or serves its owner alone, says so', () => {
  const platform = (more: object) => surfaceOf({ contributes: { platforms: [{ id: 'note', ...more }] } })
  const said = platform({ gate: 'source', reach: 'owner' })
  expect(said.contributions).toEqual(['platforms:note', 'platforms:note:gate source', 'platforms:note:reach owner'])
  expect(isWider(platform({ gate: 'agent', reach: 'people' }), said)).toBe(true)
})

test('tools, permissions and variables are compared whatever order they stand in', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, effect: 'read', secret: false, required: false, prompt: '' }))
  const declared = (items: readonly unknown[]) =>
    surfaceOf({ contributes: { toolsets: [{ id: 'notes', tools: items }] }, env: items, permissions: { run: {}, net: {} } })
  const sorted = declared([a, b, c])
  expect(sorted.tools.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(sorted.env.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(Object.keys(sorted.permissions)).toEqual(['net', 'run'])
  expect(Object.keys(surfaceOf({ permissions: { net: {}, run: {} } }).permissions)).toEqual(['net', 'run'])
  for (const items of [
    [c, b, a],
    [b, c, a],
    [b, a, c],
  ])
    expect(declared(items)).toEqual(sorted)
})

test('nonsense has a surface too', () => {
  expect(surfaceOf({ contributes: [], permissions: 7, env: { a: 1 } })).toEqual({ contributions: [], tools: [], permissions: {}, env: [] })
})

test('what a part says it can do is a part of the surface, but for platforms, whose abilities are many and harmless', () => {
  const memory = [{ id: 'notes', capabilities: { change: true, snapshot: false, search: 'yes' } }]
  const platforms = [{ id: 'note', capabilities: { typing: true } }]
  expect(surfaceOf(written({ contributes: { memory, platforms } })).contributions).toEqual([
    'memory:notes',
    'memory:notes:change',
    'platforms:note',
  ])
})
