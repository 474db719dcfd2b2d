import type { Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatWire, parseWire } from './wire-json.ts'

const bytes = new Uint8Array([9, 0, 127, 255]).subarray(1)

test.each<[string, Wire]>([
  ['null', null],
  ['a text that looks like bytes', '{"$bytes":"AA=="}'],
  ['bytes', bytes],
  ['bytes in a list in an object', { list: [[bytes], 1, false] }],
  ['an object with a key like that of bytes', { $bytes: 'AA==' }],
  ['an object with a key like that of such an object', { $object: { a: 1 } }],
  ['bytes below such keys', { $object: { $bytes: bytes }, $bytes: [bytes, { $object: null }] }],
  ['a key of bytes that holds none', { $bytes: 7 }],
])('%s come back as they were', (_name, value) => {
  expect(parseWire(formatWire(value))).toEqual(value)
})

test('what was written before such keys were wrapped is read as it stands', () => {
  expect(parseWire('{"$bytes":7,"$object":"a"}')).toEqual({ $bytes: 7, $object: 'a' })
  expect(parseWire('{"$bytes":"AP8="}')).toEqual(new Uint8Array([0, 255]))
})

test('what is not there is left out of an object, and nothing in a list', () => {
  expect(formatWire({ a: undefined, b: [undefined, bytes] as unknown as Wire })).toBe('{"b":[null,{"$bytes":"AH//"}]}')
})
