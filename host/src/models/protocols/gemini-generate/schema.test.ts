import type { Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { checkSchema } from '../../../../../test/support/fakes/fake-gemini-schema.ts'
import { narrowSchema } from './schema.ts'

type Schema = Readonly<Record<string, Wire>>
const of = (property: Schema, more: Schema = {}): Schema => ({ type: 'object', properties: { x: property }, ...more })

test.each<[string, Schema, unknown]>([
  [
    'keywords that the vendor does not know',
    { type: 'string', pattern: '^a', contentEncoding: 'x', format: 'uri' },
    { type: 'string', pattern: '^a' },
  ],
  ['a type or nothing', { type: ['string', 'null'], maxLength: 3 }, { type: 'string', maxLength: 3, nullable: true }],
  ['one of two types', { type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['one value', { const: 'on' }, { type: 'string', enum: ['on'] }],
  [
    'a choice of values',
    { oneOf: [{ const: 'a' }, { const: 'b' }], description: 'd' },
    { type: 'string', enum: ['a', 'b'], description: 'd' },
  ],
  ['numbers to choose from', { type: 'integer', enum: [1, 2] }, { type: 'integer' }],
  [
    'a choice with nothing',
    { anyOf: [{ type: 'number' }, { type: 'null' }], description: 'd' },
    { type: 'number', nullable: true, description: 'd' },
  ],
  [
    'a choice beside other words',
    { anyOf: [{ type: 'string' }, { type: 'array', items: {} }], description: 'd' },
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  ],
  ['a time', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  ['a long number', { type: 'integer', format: 'int64' }, { type: 'integer', format: 'int64' }],
  ['a fraction', { type: 'number', format: 'float' }, { type: 'number', format: 'float' }],
  ['a format of another type', { type: 'boolean', format: 'int32' }, { type: 'boolean' }],
  ['empty texts to choose from', { type: 'string', enum: ['', 'a', null] }, { type: 'string', enum: ['a'] }],
  ['a number by its value alone', { const: 7 }, { type: 'number' }],
  ['a flag by its values alone', { enum: [true, false] }, { type: 'boolean' }],
  ['a list by its items alone', { items: { type: 'number' } }, { type: 'array', items: { type: 'number' } }],
  ['properties alone', { properties: { a: {} } }, { type: 'object', properties: { a: { type: 'string' } } }],
  ['nothing but null', { type: 'null' }, { type: 'string', nullable: true }],
  ['a value that may be null', { oneOf: [{ const: 'a' }, { const: null }] }, { type: 'string', enum: ['a'], nullable: true }],
  ['values of several types', { oneOf: [{ const: 'a' }, { const: 7 }] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'number' }] }],
  ['an empty choice', { type: 'number', anyOf: [] }, { type: 'number' }],
  ['properties that are none of an object', { type: 'string', properties: { a: {} } }, { type: 'string' }],
  ['a reference to nowhere', { $ref: 'https://x.test/schema' }, { type: 'string' }],
  ['a list of anything', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'number' }] }, { type: 'array', items: { type: 'number' } }],
  ['an open object', { type: 'object', additionalProperties: true }, { type: 'object' }],
  ['nothing at all', {}, { type: 'string' }],
  [
    'parts to put together',
    { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a', 'gone'] }] },
    of({ type: 'string' }),
  ],
])('a schema with %s is told so that the vendor takes it', (_title, found, expected) => {
  const narrowed = narrowSchema(of(found, { additionalProperties: false, $schema: 'x' }))
  expect(checkSchema(narrowed, 'x')).toBeUndefined()
  const { properties } = narrowed as { properties: { x: unknown } }
  if (Array.isArray(found.allOf)) expect(properties.x).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
  else expect(properties.x).toEqual(expected)
})

test('references are followed once: a schema that holds itself ends', () => {
  const node = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } }
  const narrowed = narrowSchema(of({ $ref: '#/$defs/node', description: 'first' }, { $defs: { node } }))
  expect(narrowed.properties).toEqual({
    x: { type: 'object', description: 'first', properties: { name: { type: 'string' }, next: { type: 'object' } } },
  })
})

test('a schema that doubles at every level is cut', () => {
  const twice = (level: number): Schema => ({
    type: 'object',
    properties: { a: { $ref: `#/$defs/d${level}` }, b: { $ref: `#/$defs/d${level}` } },
  })
  const levels = Object.fromEntries(Array.from({ length: 40 }, (_, level) => [`d${level}`, twice(level + 1)]))
  const narrowed = narrowSchema({ ...twice(0), $defs: levels })
  expect(JSON.stringify(narrowed).length).toBeLessThan(200_000)
  expect(checkSchema(narrowed, 'x')).toBeUndefined()
})

test('a schema that holds itself among its parts ends as well', () => {
  const node = { allOf: [{ $ref: '#/$defs/named' }, { properties: { next: { $ref: '#/$defs/named' } } }], required: ['name'] }
  const named = { type: 'object', properties: { name: { type: 'string' }, self: { $ref: '#/$defs/named' } } }
  const narrowed = narrowSchema(of(node, { $defs: { named } }))
  expect(narrowed.properties).toEqual({
    x: {
      type: 'object',
      properties: { name: { type: 'string' }, self: { type: 'object' }, next: { type: 'object' } },
      required: ['name'],
    },
  })
})
