import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Loaded } from '#config/file/loaded.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { ModelFacts } from '#models/catalog/facts.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { makeLength } from './context-parts.ts'

const facts = { of: async () => ({ context: 50_000 }) } as unknown as ModelFacts
const loadedWith = (compression: object): Loaded =>
  ({ config: { ...defaultConfig, compression: { ...defaultConfig.compression, ...compression } } }) as unknown as Loaded
const choose = (): ModelChoice => ({ provider: 'p', model: 'm', implicit: false }) as ModelChoice
const length = (compression: object, chosen = choose) => makeLength({ loaded: loadedWith(compression), facts, choose: chosen }).now()

test('how long a conversation may become is what the chosen model takes and the settings allow', async () => {
  expect(await length({ threshold: 0.5 })).toEqual({ window: 50_000, limit: 25_000 })
  expect(await length({ enabled: false })).toEqual({ window: 50_000, limit: undefined })
})

test('where no model answers nothing is known; another fault is none of that', async () => {
  const none = (): never => {
    throw fail('PROVIDER_UNKNOWN', { provider: 'p' })
  }
  expect(await length({}, none)).toBeUndefined()
  const broken = (): never => {
    throw new TypeError('a mistake')
  }
  await expect(length({}, broken)).rejects.toThrow('a mistake')
})
