import { expect, test } from 'vitest'
import { leanSchema } from './lean-schema.ts'

test('lengths of texts are left out wherever a schema stands, and nothing else is', () => {
  expect(
    leanSchema({
      type: 'object',
      properties: {
        minLength: { type: 'integer', minimum: 1, maximum: 9 },
        text: { type: 'string', minLength: 1, maxLength: 5, default: { maxLength: 5 }, description: 'x' },
        list: { type: 'array', maxItems: 3, items: { anyOf: [{ type: 'string', maxLength: 2 }, { $ref: '#/$defs/y' }] } },
      },
      $defs: { y: { type: 'string', minLength: 2, enum: ['maxLength'] } },
      required: ['minLength'],
      additionalProperties: false,
    }),
  ).toEqual({
    type: 'object',
    properties: {
      minLength: { type: 'integer', minimum: 1, maximum: 9 },
      text: { type: 'string', default: { maxLength: 5 }, description: 'x' },
      list: { type: 'array', maxItems: 3, items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/y' }] } },
    },
    $defs: { y: { type: 'string', enum: ['maxLength'] } },
    required: ['minLength'],
    additionalProperties: false,
  })
})
