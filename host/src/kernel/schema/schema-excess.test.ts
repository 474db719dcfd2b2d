import { expect, test } from 'vitest'
import { findSchemaExcess } from './schema-excess.ts'

const properties = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, true]))

function nested(levels: number): unknown {
  let schema: unknown = {}
  for (let level = 0; level < levels; level++) schema = [schema]
  return schema
}

test.each([
  ['a usual schema', { type: 'object', properties: { a: { type: ['string', 'null'], minLength: 1 } } }, undefined],
  ['as many values as may be', properties(9_999), undefined],
  ['one more', properties(10_000), 'it holds more than 10000 values'],
  ['a text as long as may be', { a: 'x'.repeat(262_143) }, undefined],
  ['a longer one', { a: 'x'.repeat(262_144) }, 'it is longer than 262144 characters'],
  ['a longer name', { ['x'.repeat(262_145)]: 1 }, 'it is longer than 262144 characters'],
  ['as many levels as may be', nested(100), undefined],
  ['one more level', nested(101), 'it is nested deeper than 100 levels'],
])('%s', (_what, schema, excess) => {
  expect(findSchemaExcess(schema)).toBe(excess)
})

test('what lies beyond the limits is not looked at', () => {
  let looks = 0
  const watched = new Proxy(properties(60_000), {
    get: () => {
      looks++
    },
  })
  expect(findSchemaExcess(watched)).toBe('it holds more than 10000 values')
  expect(looks).toBe(0)
})
