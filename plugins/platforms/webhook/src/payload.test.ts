import { expect, test } from 'vitest'
import { fillTemplate, findField, formatRaw } from './payload.ts'

const payload = { a: { b: { c: 'deep' }, list: [{ name: 'first' }], no: false, nothing: null }, '@type': 'x', braces: '{a.b.c}' }

test.each([
  ['{a.b.c}', 'deep'],
  ['{a.list.0.name} and {@type}', 'first and x'],
  ['{a.b}', '{"c":"deep"}'],
  ['{a.no} {a.nothing}', 'false null'],
  ['{a.x} {a.b.c.d} {__proto__} {a.constructor} {} { a }', '{a.x} {a.b.c.d} {__proto__} {a.constructor} {} { a }'],
  ['{braces}', '{a.b.c}'],
  ['{__raw__}', JSON.stringify(payload, null, 2)],
])('%s becomes %s', (template, text) => {
  expect(fillTemplate(template, payload)).toBe(text)
})

test('what is long is cut: all of the payload, one nested field, the whole text', () => {
  const long = { list: Array(2000).fill('abc'), text: 'x'.repeat(40_000) }
  expect(fillTemplate('{__raw__}', long)).toHaveLength(4001)
  expect(fillTemplate('{list}', long)).toHaveLength(2000)
  expect(fillTemplate('{text}', long)).toHaveLength(32_001)
  expect(formatRaw(`${'x'.repeat(3998)}🔔🔔`)).toBe(`"${'x'.repeat(3998)}…`)
})

test('a path finds own fields only', () => {
  expect(findField('text', 'length')).toBeUndefined()
  expect(findField([1], 'length')).toBe(1)
  expect(findField(null, 'a')).toBeUndefined()
})
