import { expect, test } from 'vitest'
import * as z from 'zod'
import { compileSchema } from './compile-schema.ts'
import type { JsonSchema } from './schema-check.ts'

const written = z.strictObject({
  must: z.string(),
  port: z.int().min(1).max(65_535).default(6667),
  name: z.string().min(2).max(5).optional(),
  mode: z.enum(['a', 'b']).optional(),
  tls: z.strictObject({ on: z.boolean().default(true) }).prefault({}),
  list: z
    .array(z.strictObject({ x: z.number() }))
    .max(2)
    .default([]),
  either: z.union([z.string(), z.strictObject({ k: z.number() })]).optional(),
  channel: z.string().regex(/^#/).optional(),
  url: z.url().optional(),
  limits: z.record(z.string(), z.number()).optional(),
  nothing: z.string().nullable().optional(),
})

/** As a manifest holds it: JSON, in the reading of a person who writes it. */
const schema = JSON.parse(JSON.stringify(z.toJSONSchema(written, { io: 'input' }))) as JsonSchema

test('fills in defaults on every level', () => {
  expect(compileSchema(schema)({ must: 'x' })).toEqual({ ok: true, value: { must: 'x', port: 6667, tls: { on: true }, list: [] } })
  expect(compileSchema(schema)({ must: 'x', port: 1, tls: { on: false } })).toMatchObject({ value: { port: 1, tls: { on: false } } })
})

test.each<[unknown, string, string]>([
  [{}, 'must', 'is missing'],
  [5, '', 'must be an object, not a number'],
  [null, '', 'must be an object, not null'],
  [[], '', 'must be an object, not an array'],
  [{ must: 'x', port: '1' }, 'port', 'must be a number, not a string'],
  [{ must: 'x', port: 1.5 }, 'port', 'must be a whole number'],
  [{ must: 'x', port: 0 }, 'port', 'must be at least 1'],
  [{ must: 'x', port: 65_536 }, 'port', 'must be at most 65535'],
  [{ must: 'x', name: 'a' }, 'name', 'must have at least 2 characters'],
  [{ must: 'x', mode: 'c' }, 'mode', 'must be one of "a", "b"'],
  [{ must: 'x', extra: 1 }, 'extra', 'is not known here'],
  [{ must: 'x', tls: { of: 1 } }, 'tls.of', 'is not known here'],
  [{ must: 'x', tls: { on: 1 } }, 'tls.on', 'must be a boolean (true or false), not a number'],
  [{ must: 'x', list: 3 }, 'list', 'must be an array, not a number'],
  [{ must: 'x', list: [{ x: 1 }, { y: 1 }] }, 'list.1.x', 'is missing'],
  [{ must: 'x', list: [{ x: 1 }, { x: 1 }, { x: 1 }] }, 'list', 'must have at most 2 items'],
  [{ must: 'x', either: { k: '1' } }, 'either.k', 'must be a number, not a string'],
  [{ must: 'x', either: 3 }, 'either', 'must be a string or an object, not a number'],
  [{ must: 'x', channel: 'x' }, 'channel', 'must match /^#/'],
  [{ must: 'x', url: 'x' }, 'url', 'must be a valid url'],
  [{ must: 'x', limits: { a: 'b' } }, 'limits.a', 'must be a number, not a string'],
  [{ must: 'x', nothing: 3 }, 'nothing', 'must be a string or null, not a number'],
])('%j: %s %s', (value, path, problem) => {
  expect(compileSchema(schema)(value)).toEqual({ ok: false, path, problem })
})

test('a default makes up for a required field, as in schemas that describe the output', () => {
  const output = { type: 'object', properties: { a: { type: 'number', default: 3 } }, required: ['a'], additionalProperties: false }
  expect(compileSchema(output)({})).toEqual({ ok: true, value: { a: 3 } })
})

test('references, constants, types in a list and open objects are understood', () => {
  const open = { type: 'object', properties: { a: { $ref: '#/$defs/word' } }, $defs: { word: { type: 'string' } } }
  expect(compileSchema(open)({ a: 'x', b: 1 })).toEqual({ ok: true, value: { a: 'x', b: 1 } })
  expect(compileSchema(open)({ a: 1 })).toMatchObject({ path: 'a', problem: 'must be a string, not a number' })
  expect(compileSchema({ const: 'x' })('y')).toMatchObject({ problem: 'must be "x"' })
  expect(compileSchema({ enum: [1, 'a', null] })(2)).toMatchObject({ problem: 'must be one of 1, "a", null' })
})

test('a schema that is not understood lets nothing pass and throws nothing', () => {
  const check = compileSchema({ type: 'nonsense' })({})
  expect(check).toMatchObject({ ok: false, problem: expect.stringContaining('the schema is not understood') })
})

test('a schema is compiled once', () => {
  const word = { type: 'string' }
  expect(compileSchema(word)).toBe(compileSchema(word))
})

test('a property that lets anything pass, and a default that does not fit, are left as they are', () => {
  const open = { type: 'object', properties: { any: true, must: { type: 'string', default: 'x' } }, default: { must: 7 } }
  expect(compileSchema({ type: 'object', properties: { inner: open } } as never)({ inner: { any: [1] } })).toEqual({
    ok: true,
    value: { inner: { any: [1], must: 'x' } },
  })
  expect(compileSchema({ type: 'object', properties: { inner: open } } as never)({})).toEqual({ ok: true, value: { inner: { must: 7 } } })
})
