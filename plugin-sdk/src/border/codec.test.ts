import { expect, test } from 'vitest'
import { createCodec, Reference } from './codec.ts'
import { maxFrameBytes } from './frame-limits.ts'

const codec = createCodec({ resolve: (data) => ({ resolved: data }) })
const cross = (value: unknown): unknown => codec.decode(JSON.parse(JSON.stringify(codec.encode(value, 'x'))))

test('copies JSON and drops what JSON drops', () => {
  const inner = { b: [1, 'ü', null, true] }
  const value = { a: inner, gone: undefined }
  const copy = codec.decode(codec.encode(value, 'x')) as typeof value
  expect(copy).toEqual({ a: inner })
  expect(copy.a).not.toBe(inner)
  expect(cross(value)).toEqual({ a: inner })
  expect(cross(undefined)).toBeUndefined()
  expect(cross(null)).toBeNull()
})

test('bytes travel beside the JSON, as copies', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const payload = codec.encode({ list: [bytes, Buffer.from('a')] }, 'x')
  bytes[0] = 9
  expect(payload.b).toEqual([new Uint8Array([1, 2, 3]), new Uint8Array([97])])
  expect(codec.decode(payload)).toEqual({ list: [new Uint8Array([1, 2, 3]), new Uint8Array([97])] })
})

test('nothing stays nothing beside bytes', () => {
  const value = { none: null, list: [null, new Uint8Array([1])] }
  expect(codec.decode(codec.encode(value, 'x'))).toEqual(value)
})

test('a reference is resolved on the other side', () => {
  expect(cross({ a: new Reference('h') })).toEqual({ a: { resolved: 'h' } })
})

test('what is not plain is referred to where that is allowed, and an object without a prototype is plain', () => {
  const items = { [Symbol.asyncIterator]: () => undefined }
  const refer = (value: object) => (Symbol.asyncIterator in value ? new Reference('items') : undefined)
  const referring = createCodec({ refer, resolve: (data) => ({ resolved: data }) })
  expect(referring.decode(referring.encode({ items }, 'x'))).toEqual({ items: { resolved: 'items' } })
  expect(() => referring.encode([undefined], 'x')).toThrow('type undefined')
  expect(() => codec.encode(items, 'x')).toThrow('a Object is neither')
  expect(cross(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  expect(() => codec.encode(Object.create(Object.create(null)), 'x')).toThrow('a object is neither')
})

test('a reference that nobody resolves is nothing, and one without bytes carries none', () => {
  const payload = codec.encode({ a: new Reference('h') }, 'x')
  expect(createCodec().decode(payload)).toEqual({ a: undefined })
  expect(Object.keys(payload)).toEqual(['v', 'x'])
  expect(Object.keys(codec.encode('plain', 'x'))).toEqual(['v'])
})

const circle: unknown[] = []
circle.push(circle)
const wrong: [string, unknown, string, RegExp][] = [
  ['a Date', { sentAt: new Date() }, 'x.sentAt', /a Date/],
  ['a Map', [new Map()], 'x.0', /a Map/],
  ['a function', { a: { b: () => 1 } }, 'x.a.b', /type function/],
  ['undefined in a list', [undefined], 'x.0', /type undefined/],
  ['a bigint', 1n, 'x', /type bigint/],
  ['not a number', { a: Number.NaN }, 'x.a', /NaN/],
  ['Infinity', { a: Number.POSITIVE_INFINITY }, 'x.a', /Infinity/],
  ['a class', new (class Person {})(), 'x', /a Person/],
  ['an error', new Error('no'), 'x', /an? Error/],
  ['a prototype key', JSON.parse('{"__proto__": 1}'), 'x', /__proto__/],
  ['a key of ours', { '\u0000': { b: 0 } }, 'x', /not allowed/],
  ['a circle', circle, `x${'.0'.repeat(100)}`, /contains itself/],
]

test.each<[string, unknown]>([
  ['a text', { a: 'x'.repeat(maxFrameBytes + 1) }],
  ['texts together', { b: 'x'.repeat(maxFrameBytes), a: 'x' }],
  ['an array of bytes', { a: new Uint8Array(maxFrameBytes + 1) }],
])('%s beyond the limit is refused before it is copied, wherever the rest is told', (_name, value) => {
  const told: string[] = []
  for (const each of [codec, createCodec({ onViolation: (where) => told.push(where) })])
    expect(() => each.encode(value, 'x')).toThrow(
      expect.objectContaining({ code: 'BORDER_VALUE', params: expect.objectContaining({ path: 'x.a' }) }),
    )
  expect(told).toEqual([])
})

test.each(wrong)('names %s by its path', (_name, value, path, problem) => {
  expect(() => codec.encode(value, 'x')).toThrow(
    expect.objectContaining({ code: 'BORDER_VALUE', params: { path, problem: expect.stringMatching(problem) } }),
  )
  const told: string[] = []
  const lenient = createCodec({ onViolation: (where) => told.push(where) })
  expect(() => lenient.encode(value, 'x')).not.toThrow()
  expect(told).toEqual([path])
})
