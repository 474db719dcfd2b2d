import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ManifestInput, manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { manifestJsonSchema } from '../installed/manifest-json-schema.ts'
import { mutationsOf } from '../testing/mutations.ts'
import { compileSchema } from './compile-schema.ts'
import { compileQuickly, unsure } from './quick-schema.ts'
import type { JsonSchema } from './schema-check.ts'

const plugins = join(import.meta.dirname, '..', '..', '..', '..', 'plugins')
const files = readdirSync(plugins).flatMap((kind) =>
  readdirSync(join(plugins, kind)).map((name): [string, string] => [name, join(plugins, kind, name, 'agent.plugin.json')]),
)
const manifests = files
  .filter(([, file]) => existsSync(file))
  .map(([name, file]): [string, ManifestInput] => [name, JSON.parse(readFileSync(file, 'utf8')) as ManifestInput])
const quickManifest = compileQuickly(manifestJsonSchema)

/** What zod makes of a value, in the terms of the quick check. */
const verdict = (schema: z.ZodType, value: unknown): unknown => {
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : unsure
}

test.each(manifests)('the manifest of %s passes without zod and gets the same defaults', (_name, manifest) => {
  const filled = quickManifest?.(manifest)
  expect(filled).toEqual(manifestSchema.parse(manifest))
  expect(filled).not.toBe(manifest)
})

// All that can go wrong in each place of a manifest, once: the same places come again and again.
test('zod agrees with the quick check on manifests that have one thing wrong', () => {
  const disagreements: unknown[] = []
  const seen = new Set<string>()
  const isNew = (place: string): boolean => !seen.has(place) && seen.add(place) !== undefined
  let [passed, refused] = [0, 0]
  for (const [, manifest] of manifests) {
    for (const changed of mutationsOf(withoutSchemas(manifest), isNew)) {
      const filled = quickManifest?.(changed)
      if (filled === unsure) refused++
      else passed++
      if (!agrees(changed, filled, verdict(manifestSchema, changed))) disagreements.push(changed)
    }
  }
  expect(disagreements).toEqual([])
  expect([passed > 100, refused > 1000]).toEqual([true, true])
})

/** What is inside a schema of a manifest is not looked at: leaving it out saves most of the time. */
function withoutSchemas(manifest: ManifestInput): unknown {
  return JSON.parse(
    JSON.stringify(manifest, (key, value: unknown) => (/^(configSchema|parameters)$/.test(key) ? { type: 'object' } : value)),
  )
}

/** Only about a key that could change a prototype the quick check says less than zod, which drops it. */
function agrees(value: unknown, filled: unknown, wanted: unknown): boolean {
  if (filled === unsure) return wanted === unsure || JSON.stringify(value)?.includes('__proto__') === true
  return wanted !== unsure && isDeepStrictEqual(filled, wanted)
}

const written = z.strictObject({
  must: z.string(),
  port: z.int().min(1).max(65_535).default(6667),
  share: z.number().gt(0).lt(1).optional(),
  name: z.string().min(2).max(5).optional(),
  mode: z.enum(['a', 'b']).optional(),
  tls: z.strictObject({ on: z.boolean().default(true), more: z.strictObject({ x: z.int().default(1) }).prefault({}) }).prefault({}),
  list: z
    .array(z.strictObject({ x: z.number(), y: z.string().default('y') }))
    .max(2)
    .default([]),
  either: z.union([z.string(), z.strictObject({ k: z.number().default(2) }), z.array(z.boolean())]).optional(),
  limits: z.record(z.string(), z.int()).optional(),
  nothing: z.string().min(2).nullable().optional(),
  fixed: z.literal('x').optional(),
  free: z.unknown().optional(),
})
const sample = { must: 'x', port: 1, share: 0.5, name: 'abc', mode: 'a', tls: { on: false, more: {} }, list: [{ x: 1 }], either: {} }

test('zod agrees with the quick check on settings', () => {
  const schema = JSON.parse(JSON.stringify(z.toJSONSchema(written, { io: 'input' }))) as JsonSchema
  const [quick, slow] = [compileQuickly(schema), compileSchema(schema)]
  expect(quick?.({ must: 'x' })).toEqual({ must: 'x', port: 6667, tls: { on: true, more: { x: 1 } }, list: [] })
  for (const changed of mutationsOf({ ...sample, limits: { a: 1 }, nothing: null, fixed: 'x', free: [1] })) {
    const checked = slow(changed)
    const filled = quick?.(changed)
    if (!agrees(changed, filled, checked.ok ? checked.value : unsure)) expect([changed, filled]).toEqual([changed, checked])
  }
})

test.each<[string, JsonSchema, unknown]>([
  ['an open object keeps what it does not know', { type: 'object', properties: { a: { type: 'string' } } }, { a: 'x', b: [1] }],
  ['a default makes up for a required field', { type: 'object', properties: { a: { type: 'number', default: 3 } }, required: ['a'] }, {}],
  ['free keys follow their schema', { type: 'object', additionalProperties: { type: 'integer' } }, { a: 1 }],
  ['names of keys are checked', { type: 'object', propertyNames: { type: 'string', pattern: '^a' } }, { ab: 1 }],
  ['one of several kinds', { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { default: 1 } } }] }, {}],
  ['a list of anything', { type: 'array' }, [1, 'x', null]],
])('%s', (_what, schema, value) => {
  expect(compileSchema(schema)(value)).toEqual({ ok: true, value: compileQuickly(schema)?.(value) })
})

test.each<JsonSchema>([
  { type: 'string', format: 'email' },
  { type: 'number', multipleOf: 2 },
  { type: ['string', 'nonsense'] },
  { type: ['string', 'null'], minimum: 1 },
  { type: 'nonsense' },
  { type: 'constructor' },
  { type: 7 },
  { $ref: '#/$defs/x', $defs: { x: {} } },
  { oneOf: [{ type: 'string', format: 'uri' }] },
  { oneOf: [{}], type: 'string' },
  { oneOf: 'x' },
  { anyOf: [{ type: 'string', format: 'uri' }] },
  { anyOf: [{}], type: 'string' },
  { not: {} },
  { type: 'string', pattern: '(' },
  { type: 'string', minLength: 'x' },
  { type: 'number', exclusiveMinimum: true },
  { type: 'number', exclusiveMaximum: true },
  { type: 'number', minimum: '1' },
  { type: 'number', maximum: '1' },
  { type: 'string', maxLength: 'x' },
  { type: 'array', minItems: 'x' },
  { type: 'array', maxItems: 'x' },
  { type: 'array', items: [{}] },
  { type: 'array', uniqueItems: true },
  { type: 'object', patternProperties: {} },
  { type: 'object', properties: { constructor: { type: 'string' } } },
  { type: 'object', properties: { a: {} }, propertyNames: { type: 'string', maxLength: 1 } },
  { type: 'object', required: ['a'] },
  { type: 'object', properties: { deep: { type: 'array', items: { type: 'object', properties: { x: { if: {} } } } } } },
  { type: 'object', properties: { a: { type: 'object', default: { b: 1 }, additionalProperties: false } } },
])('%j is left to zod', (schema) => {
  expect(compileQuickly(schema)).toBeUndefined()
})

test('what fits two schemas of which one may fit is left to zod', () => {
  const quick = compileQuickly({ oneOf: [{ type: 'number' }, { type: 'integer' }] })
  expect([1.5, 1, 'x'].map((value) => quick?.(value))).toEqual([1.5, unsure, unsure])
})

test('a key whose name does not fit is left to zod', () => {
  const quick = compileQuickly({ type: 'object', propertyNames: { type: 'string', pattern: '^a' } })
  expect([{ ab: 1 }, { ab: 1, b: 1 }].map((value) => quick?.(value))).toEqual([{ ab: 1 }, unsure])
})

test('a default is not shared between two values', () => {
  const schema = { type: 'object', properties: { list: { type: 'array', default: [] }, more: { type: 'object', default: {} } } }
  const quick = compileQuickly(schema)
  const [one, other] = [quick?.({}), quick?.({})] as { list: unknown[]; more: object }[]
  expect(one?.list).not.toBe(other?.list)
  expect(one?.more).not.toBe(other?.more)
})

test('a schema that holds a word of which nobody knows the meaning is left to zod, also beside a list of values', () => {
  for (const schema of [
    { type: 'string', pattern: '[', enum: ['a'] },
    { type: 'string', minLength: 'x', const: 'a' },
  ])
    expect(compileQuickly(schema)).toBeUndefined()
})

test('a word that no type has leaves a schema of several types to zod', () => {
  expect(compileQuickly({ type: ['string', 'null'], format: 'date' })).toBeUndefined()
  expect(compileQuickly({ type: ['string', 'null'], minLength: 2 })?.('ab')).toBe('ab')
})

test('each of several types takes the words that are its own, and no other word passes', () => {
  const check = compileQuickly({ type: ['string', 'integer', 'null'], minLength: 2, minimum: 3, title: 'Of two' })
  expect(['ab', 'a', 3, 2, null, true].map((value) => check?.(value))).toEqual(['ab', unsure, 3, unsure, null, unsure])
  expect(compileQuickly({ type: ['string', 'integer'], minItems: 2 })).toBeUndefined()
  expect(compileQuickly({ type: ['string', 'odd'] })).toBeUndefined()
})

test.each<object>([
  { additionalProperties: { type: 'odd' } },
  { propertyNames: { format: 'email' } },
  { properties: { a: { format: 'email' } } },
  { properties: { toString: { type: 'string' } } },
  { properties: {}, required: ['a'] },
  { properties: [] },
  { required: 'a' },
])('an object with %j is left to zod', (words) => {
  expect(compileQuickly({ type: 'object', ...words })).toBeUndefined()
})
