import { expect, test } from 'vitest'
import * as z from 'zod'
import { describeIssue } from './describe-issue.ts'

function problemOf(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value, { reportInput: true })
  const { path, problem } = describeIssue(error?.issues ?? [])
  return `${path}: ${problem}`
}

test.each<[z.ZodType, unknown, string]>([
  [z.object({ a: z.object({ b: z.string() }) }), { a: { b: 7 } }, 'a.b: must be a string, not a number'],
  [z.object({ a: z.string() }), {}, 'a: is missing'],
  [z.object({ a: z.boolean() }), { a: 'yes' }, 'a: must be a boolean (true or false), not a string'],
  [z.object({ a: z.object({}) }), { a: null }, 'a: must be an object, not null'],
  [z.object({ a: z.array(z.string()) }), { a: {} }, 'a: must be an array, not an object'],
  [z.object({ a: z.string() }), { a: [] }, 'a: must be a string, not an array'],
  [z.object({ a: z.int() }), { a: 1.5 }, 'a: must be a whole number'],
  [z.strictObject({ a: z.string() }), { a: '', b: 1 }, 'b: is not known here'],
  [z.enum(['x', 'y']), 'z', ': must be one of "x", "y"'],
  [z.number(), Number.NaN, ': must be a number, not NaN'],
  [z.object({ a: z.literal('x') }), { a: 'z' }, 'a: must be "x"'],
  [z.object({ a: z.enum(['x', 'y']) }), {}, 'a: is missing'],
  [z.literal('x'.repeat(58)), 'z', `: must be "${'x'.repeat(58)}"`],
  [z.literal('x'.repeat(59)), 'z', `: must be "${'x'.repeat(56)}…`],
  [z.enum(['x', 'y']), 'z'.repeat(99), `: must be one of "x", "y"`],
  [z.string().min(2), 'x', ': must have at least 2 characters'],
  [z.string().max(2), 'xyz', ': must have at most 2 characters'],
  [z.array(z.string()).min(1), [], ': must have at least 1 items'],
  [z.array(z.string()).max(1), ['a', 'b'], ': must have at most 1 items'],
  [z.number().gt(3), 3, ': must be more than 3'],
  [z.number().lt(3), 3, ': must be less than 3'],
  [z.number().min(3), 2, ': must be at least 3'],
  [z.number().max(3), 4, ': must be at most 3'],
  [z.number().multipleOf(5), 7, ': must be a multiple of 5'],
  [z.string().regex(/^a+$/), 'b', ': must match /^a+$/'],
  [z.email(), 'x', ': must be a valid email'],
  [z.union([z.string(), z.int()]), true, ': must be a string or a number, not a boolean'],
  [z.union([z.null(), z.string()]), {}, ': must be null or a string, not an object'],
  [z.union([z.literal('x'), z.literal('y')]), 'z', ': must be one of "x", "y"'],
  [z.object({ a: z.union([z.literal('x'), z.array(z.string())]) }), { a: [7] }, 'a.0: must be a string, not a number'],
  [z.union([z.string().min(3), z.string().regex(/^q/)]), 'x', ': has none of the allowed forms'],
  [z.string().refine(() => false, 'is odd'), 'x', ': does not fit (is odd)'],
])('problem %#', (schema, value, wanted) => {
  expect(problemOf(schema, value)).toBe(wanted)
})

test('where no problem is told, it does not fit', () => {
  expect(describeIssue([])).toEqual({ path: '', problem: 'does not fit' })
})
