import { expect, test } from 'vitest'
import { checkSchema, fillQuickly } from './json-schema.ts'
import { unsure } from './quick-schema.ts'

test('a schema is prepared once, however many values are checked by it', () => {
  let reads = 0
  const schema = {
    get type() {
      reads += 1
      return 'string'
    },
  }
  expect(fillQuickly(schema, 'a')).toBe('a')
  const first = reads
  expect(first).toBeGreaterThan(0)
  expect([fillQuickly(schema, 'b'), fillQuickly(schema, 7)]).toEqual(['b', unsure])
  expect(reads).toBe(first)
})

test('what the quick check is unsure of is checked whole, with the first problem in words', async () => {
  const schema = { type: 'object', properties: { port: { type: 'integer', default: 1 }, step: { type: 'number', multipleOf: 2 } } }
  expect(fillQuickly(schema, {})).toBe(unsure)
  expect(await checkSchema(schema, { step: 4 })).toEqual({ ok: true, value: { port: 1, step: 4 } })
  expect(await checkSchema(schema, { step: 3 })).toMatchObject({ ok: false, path: 'step', problem: 'must be a multiple of 2' })
  expect(await checkSchema({ type: 'string' }, 7)).toMatchObject({ ok: false, problem: 'must be a string, not a number' })
})
