import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { fillQuickly } from '#kernel/schema/json-schema.ts'
import { unsure } from '#kernel/schema/quick-schema.ts'
import { mutationsOf } from '#kernel/testing/mutations.ts'
import { configJsonSchema } from './config-json-schema.ts'
import { defaultConfig } from './defaults.ts'
import { configSchema } from './schema.ts'

const used = {
  ...defaultConfig,
  auxiliary: { vision: { provider: 'x', timeout: 3 } },
  platforms: { irc: { enabled: true, allow_from: ['*'], unauthorized_dm_behavior: 'ignore', extra: { port: 1 } } },
  plugins: {
    entries: { 'toolset-files': { enabled: false, isolation: 'inproc', config: { a: [1] } } },
    deny: ['x'],
    sandbox: 'off',
    catalogs: [{ url: 'a', signed_by: 'b' }],
  },
}

test('the settings of most homes pass without zod', () => {
  for (const config of [defaultConfig, used]) expect(fillQuickly(configJsonSchema, config)).toEqual(configSchema.parse(config))
})

test('zod agrees with the quick check on every setting that is wrong or unusual', () => {
  for (const changed of mutationsOf(used)) {
    const filled = fillQuickly(configJsonSchema, changed)
    const parsed = configSchema.safeParse(changed)
    const agrees = parsed.success ? isDeepStrictEqual(filled, parsed.data) : filled === unsure
    if (!agrees && !JSON.stringify(changed)?.includes('__proto__')) expect([changed, filled]).toEqual([changed, parsed])
  }
})

test('numbers that only YAML can write are left to zod', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(fillQuickly(configJsonSchema, { ...defaultConfig, logging: { ...defaultConfig.logging, max_size_mb: value } })).toBe(unsure)
})
