import { expect, test } from 'vitest'
import { changedKeys, fieldsOf, labelOf, readText, setAt, showText } from './schema-model.ts'

const schema = {
  type: 'object',
  required: ['server'],
  $defs: { mode: { enum: ['first', 'all'] } },
  properties: {
    server: { type: 'string', description: 'Where it is.' },
    port: { type: 'integer', default: 6697, maximum: 9007199254740991 },
    tls: { type: 'boolean', default: true },
    reply_to_mode: { $ref: '#/$defs/mode', default: 'first' },
    channels: { type: 'array', items: { type: 'string' } },
    topic: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    either: { oneOf: [{ const: 'a' }, { const: 'b' }] },
    rooms: { type: 'object', additionalProperties: { type: 'string' } },
    nested: { type: 'object', properties: { deep: { type: 'number' } } },
  },
} as const

test('each part of a schema has its kind of field', () => {
  expect(fieldsOf(schema).map(({ path, kind }) => `${path}: ${kind}`)).toEqual([
    'server: text',
    'port: whole',
    'tls: check',
    'reply_to_mode: choice',
    'channels: list',
    'topic: text',
    'either: choice',
    'rooms: json',
    'nested: group',
  ])
  expect(fieldsOf(schema)[0]).toMatchObject({ label: 'Server', hint: 'Where it is.', required: true })
  expect(fieldsOf(schema)[3]).toMatchObject({ label: 'Reply to mode', choices: ['first', 'all'], fallback: 'first' })
  expect(fieldsOf(schema)[8]?.fields[0]?.path).toBe('nested.deep')
})

test('a value that is taken out leaves no empty group behind', () => {
  expect(setAt({ a: { b: 1 } }, 'a.c', 2)).toEqual({ a: { b: 1, c: 2 } })
  expect(setAt({ a: { b: 1 }, d: 1 }, 'a.b', undefined)).toEqual({ d: 1 })
})

test('what is typed becomes the value of the kind; nothing typed is no value', () => {
  const [server, port, , , channels] = fieldsOf(schema)
  expect([port && readText(port, '99'), port && readText(port, 'x'), port && readText(port, ' ')]).toEqual([99, 'x', undefined])
  expect(channels && readText(channels, '#a\n\n #b ')).toEqual(['#a', '#b'])
  expect(server && readText(server, 'irc.example')).toBe('irc.example')
  expect([showText(['#a', '#b']), showText(5), showText(undefined)]).toEqual(['#a\n#b', '5', ''])
})

test('only what changed is sent, and null takes a key out', () => {
  const before = { server: 'a', port: 1, nested: { deep: 1 } }
  expect(changedKeys(fieldsOf(schema), before, { server: 'a', nested: { deep: 2 } })).toEqual({ port: null, 'nested.deep': 2 })
})

test('names become words', () => {
  expect(['reply_to_mode', 'maxTokens', 'a-b'].map(labelOf)).toEqual(['Reply to mode', 'Max tokens', 'A b'])
})
