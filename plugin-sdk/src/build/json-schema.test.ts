import { expect, test } from 'vitest'
import * as z from 'zod'
import { findLosses, toClosedSchema } from './json-schema.ts'

const lossy: Record<string, [z.ZodType, string, RegExp]> = {
  transform: [z.object({ a: z.string().transform(Number) }), 'config.a', /transform/],
  pipe: [z.object({ a: z.string().pipe(z.string()) }), 'config.a', /pipe/],
  preprocess: [z.object({ a: z.preprocess(String, z.string()) }), 'config.a', /preprocess/],
  codec: [z.object({ a: z.stringbool() }), 'config.a', /pipe/],
  refine: [z.object({ a: z.string().refine((text) => text !== 'no') }), 'config.a', /refine/],
  superRefine: [z.object({ a: z.int() }).superRefine(() => undefined), 'config', /superRefine/],
  custom: [z.object({ a: z.custom<string>() }), 'config.a', /custom/],
  coerce: [z.object({ a: z.coerce.number() }), 'config.a', /coerce/],
  trim: [z.object({ a: z.string().trim() }), 'config.a', /trim/],
  lowerCase: [z.object({ a: z.string().toLowerCase() }), 'config.a', /toLowerCase/],
  catch: [z.object({ a: z.string().catch('x') }), 'config.a', /catch/],
  date: [z.object({ a: z.date() }), 'config.a', /date/],
  bigint: [z.object({ a: z.bigint() }), 'config.a', /bigint/],
  map: [z.object({ a: z.map(z.string(), z.string()) }), 'config.a', /map/],
  jwt: [z.object({ a: z.jwt() }), 'config.a', /jwt/],
  intersection: [z.object({ a: z.intersection(z.object({}), z.object({})) }), 'config.a', /intersection/],
  'open object': [z.looseObject({ a: z.string() }), 'config', /open object/],
  'in an array': [z.object({ a: z.array(z.object({ b: z.string().trim() })) }), 'config.a.*.b', /trim/],
  'in a union': [z.object({ a: z.union([z.int(), z.string().trim()]) }), 'config.a.option 2', /trim/],
  'in a record': [z.object({ a: z.record(z.string(), z.string().trim()) }), 'config.a.*', /trim/],
  'in a tuple': [z.object({ a: z.tuple([z.string().trim()]) }), 'config.a.0', /trim/],
  'below optional, default and nullable': [z.object({ a: z.string().trim().nullable().default('x').optional() }), 'config.a', /trim/],
}

test.each(Object.entries(lossy))('names what JSON Schema would lose: %s', (_name, [schema, path, problem]) => {
  expect(findLosses(schema, 'config')).toEqual([{ path, problem: expect.stringMatching(problem) }])
})

test('lets the exact part through and ends on a schema that contains itself', () => {
  interface Tree {
    children: Tree[]
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ children: z.array(tree) }))
  const schema = z.object({
    text: z.string().min(1).max(9).regex(/^a/).describe('text'),
    count: z.int().min(0).max(9).default(3),
    url: z.url().optional(),
    choice: z.enum(['a', 'b']).nullable(),
    either: z.discriminatedUnion('type', [z.strictObject({ type: z.literal('a') }), z.strictObject({ type: z.literal('b') })]),
    free: z.record(z.string(), z.number().multipleOf(2)),
    tree,
  })
  expect(findLosses(schema, 'config')).toEqual([])
})

test('closes every object at every level and leaves defaults optional', () => {
  const schema = z.object({ outer: z.object({ inner: z.array(z.object({ a: z.int().default(1) })) }), key: z.string() })
  expect(toClosedSchema(schema)).toEqual({
    type: 'object',
    properties: {
      outer: {
        type: 'object',
        properties: {
          inner: {
            type: 'array',
            items: { type: 'object', properties: { a: { type: 'integer', default: 1 } }, additionalProperties: false },
          },
        },
        required: ['inner'],
        additionalProperties: false,
      },
      key: { type: 'string' },
    },
    required: ['outer', 'key'],
    additionalProperties: false,
  })
})
