import type { Wire } from '@agent/plugin-sdk'

/** JSON for any `Wire` value: bytes become `{"$bytes": base64}`, an object that has such a key itself is wrapped in `$object`. */
export function formatWire(value: Wire): string {
  return JSON.stringify(pack(value))
}

export function parseWire(text: string): Wire {
  const value = JSON.parse(text) as Wire
  return text.includes('"$bytes"') || text.includes('"$object"') ? (unpack(value) ?? null) : value
}

function pack(value: Wire | undefined): Wire | undefined {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
  if (Array.isArray(value)) return value.map((item: Wire): Wire => pack(item) ?? null)
  if (!isPlain(value)) return value
  const packed = mapValues(value, pack)
  return '$bytes' in value || '$object' in value ? { $object: packed } : packed
}

function unpack(value: Wire | undefined): Wire | undefined {
  if (Array.isArray(value)) return value.map((item: Wire): Wire => unpack(item) ?? null)
  if (!isPlain(value)) return value
  if (typeof value.$bytes === 'string') return new Uint8Array(Buffer.from(value.$bytes, 'base64'))
  if (isPlain(value.$object)) return mapValues(value.$object, unpack)
  return mapValues(value, unpack)
}

type PlainObject = { readonly [key: string]: Wire | undefined }

function isPlain(value: Wire | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function mapValues(value: PlainObject, change: (item: Wire | undefined) => Wire | undefined): PlainObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
}
