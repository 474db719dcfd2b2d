import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { createForeignCheck } from './check-foreign.ts'

const checkForeign = createForeignCheck(systemClock)

test.each([
  ['an object', { properties: { a: { type: 'string' } }, required: ['a'] }, { a: 'x' }, { a: 1 }],
  ['a list inside of it', { properties: { l: { items: { minimum: 3 } } }, required: ['l'] }, { l: [4] }, { l: [1] }],
  ['one of several', { anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { type: 'string' }] }, { a: 1 }, { a: 2 }],
  ['what a reference names', { $ref: '#/$defs/a', $defs: { a: { minLength: 2 } } }, 'ab', 3],
  ['every further property', { type: 'object', additionalProperties: { pattern: '^x' } }, { a: 'xy' }, { a: 1 }],
  ['a property that may be null', { properties: { a: { type: 'string', nullable: true } }, required: ['a'] }, { a: null }, { a: 1 }],
  [
    'properties with the names of keywords',
    { properties: { properties: { type: 'string' }, items: { type: 'number' } } },
    { items: 1 },
    { properties: 1 },
  ],
  [
    'definitions of the older draft',
    { definitions: { P: { type: 'string' } }, properties: { p: { $ref: '#/definitions/P' } } },
    { p: 'x' },
    { p: 1 },
  ],
  [
    'such definitions under a newer name',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      definitions: { P: { type: 'string' } },
      properties: { p: { $ref: '#/definitions/P' } },
    },
    { p: 'x' },
    { p: 1 },
  ],
])('a schema that leaves out the type is checked all the same: %s', async (_what, schema, good, bad) => {
  expect(await checkForeign(schema, good)).toMatchObject({ ok: true })
  expect(await checkForeign(schema, bad)).toMatchObject({ ok: false })
})

test('what speaks of no type lets everything pass', async () => {
  for (const schema of [{}, { description: 'Anything.' }, { enum: ['a', 1], minLength: 1 }]) {
    expect(await checkForeign(schema, 1)).toMatchObject({ ok: true })
  }
})
