import { expect, test } from 'vitest'
import { ok, open } from '../toolbox/testing/toolbox-world.ts'
import { callSchema, pair, searchTool } from './pair.ts'

const namesOf = (specs: readonly { readonly name: string }[]): readonly string[] => specs.map(({ name }) => name)
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`tool${index}`, ok]))
const settings = (enabled: 'auto' | 'on' | 'off') => ({ search: () => ({ enabled, max_listed: 2, search_default_limit: 5 }) })
const both = ['tool_search', 'tool_call']

test('the pair says what each of them takes, and a call has to name a tool', () => {
  expect(pair.map(({ name, parameters }) => [name, parameters])).toEqual([
    ['tool_search', { type: 'object', properties: { query: { type: 'string' } } }],
    ['tool_call', { type: 'object', properties: { name: { type: 'string' }, arguments: { type: 'object' } } }],
  ])
  expect([searchTool.parameters, callSchema]).toEqual([
    { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  ])
})

test('few tools of others are listed, and the pair is not there', () => {
  const { toolbox } = open({ a: { a1: ok }, 'few-of-others': many(2) }, settings('auto'))
  expect(namesOf(toolbox.specs())).toEqual(['a1', 'tool0', 'tool1'])
  expect(toolbox.specs(['a'])).toHaveLength(1)
})

test('of more than few none is listed; what came with agent is', () => {
  const { toolbox } = open({ a: { a1: ok }, 'some-of-others': many(3) }, settings('auto'))
  expect(namesOf(toolbox.specs())).toEqual(['a1', ...both])
  expect([...toolbox.reachable()]).toEqual(['a1', 'tool0', 'tool1', 'tool2'])
  expect(namesOf(open({ a: many(3) }, settings('auto')).toolbox.specs())).toHaveLength(3)
})

test('a door that has not their toolset lists no pair and reaches none of them', () => {
  const { toolbox } = open({ a: { a1: ok }, 'some-of-others': many(3) }, settings('auto'))
  expect(namesOf(toolbox.specs(['a']))).toEqual(['a1'])
  expect([...toolbox.reachable(['a'])]).toEqual(['a1'])
})

test('500 tools are listed with the bytes of 50, and these are no more than 300', () => {
  const bytesOf = (count: number): string =>
    JSON.stringify(open({ a: { a1: ok }, 'x-of-others': many(count) }, settings('auto')).toolbox.specs())
  expect(bytesOf(500)).toBe(bytesOf(50))
  const without = JSON.stringify(open({ a: { a1: ok } }).toolbox.specs())
  expect(bytesOf(500).length - without.length).toBeLessThanOrEqual(300)
})

test('the search may be on for a single tool, or off for many, and the settings of now count', () => {
  expect(namesOf(open({ 'one-of-others': many(1) }, settings('on')).toolbox.specs())).toEqual(both)
  expect(namesOf(open({ 'more-of-others': many(9) }, settings('off')).toolbox.specs())).toHaveLength(9)
  let max_listed = 0
  const { toolbox } = open({ 'one-of-others': many(1) }, { search: () => ({ enabled: 'auto', max_listed, search_default_limit: 5 }) })
  expect(toolbox.specs()).toEqual(pair)
  max_listed = 1
  expect(namesOf(toolbox.specs())).toEqual(['tool0'])
})

test('a toolset may say that it is never listed, also one that came with agent', () => {
  const { toolbox } = open({ a: { a1: ok } }, { ...settings('auto'), toolset: { deferred: true } })
  expect(namesOf(toolbox.specs())).toEqual(both)
  expect(namesOf(open({ a: { a1: ok } }, { ...settings('off'), toolset: { deferred: true } }).toolbox.specs())).toEqual(['a1'])
})

test('a single tool may say so too, and is found and called', () => {
  const { toolbox } = open({ a: { a1: ok, a2: ok } }, { ...settings('auto'), tool: (name) => (name === 'a2' ? { deferred: true } : {}) })
  expect(namesOf(toolbox.specs())).toEqual(['a1', ...both])
  expect([...toolbox.reachable()]).toEqual(['a1', 'a2'])
})

test('no toolset can take a name of the pair', () => {
  const { toolbox } = open({ 'sly-of-others': { tool_call: ok, tool_search: ok, other: ok } }, settings('off'))
  expect(namesOf(toolbox.specs())).toEqual(['other'])
})
