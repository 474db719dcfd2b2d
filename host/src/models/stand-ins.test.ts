import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { ChatModel } from './open.ts'
import { createFallback, nameOf, type StandInSettings } from './stand-ins.ts'

const chosen: ChatModel = { provider: 'far', model: 'big', stream: async function* () {} }

function open(chain: readonly StandInSettings[]) {
  const clock = createFakeClock()
  const asked: object[] = []
  const log = { debug() {}, info() {}, warn: (text: string, about?: object) => void warned.push([text, about]), error() {} }
  const warned: unknown[] = []
  const models = {
    model: async (choice: object & { provider: string; model: string }) => {
      asked.push(choice)
      if (choice.provider === 'keyless') throw fail('ENV_MISSING', { name: 'KEYLESS_API_KEY', file: '.env' })
      return { ...chosen, provider: choice.provider, model: choice.model }
    },
  }
  return { fallback: createFallback({ models, chain: () => chain, clock, log }), clock, asked, warned }
}

async function namesAfter(fallback: ReturnType<typeof createFallback>): Promise<readonly string[]> {
  const { next } = fallback.after(chosen)
  const names: string[] = []
  for (let model = await next(); model; model = await next()) names.push(nameOf(model))
  return names
}

test('they come in the order of the settings, each once, without the chosen model and those that cannot be opened', async () => {
  const chain = ['far/big', 'near/small', 'keyless/any', 'near/small', 'far/small'].map((name) => {
    const [provider = '', model = ''] = name.split('/')
    return { provider, model }
  })
  const { fallback, warned } = open(chain)
  expect(await namesAfter(fallback)).toEqual(['near/small', 'far/small'])
  expect(warned).toEqual([[expect.any(String), { provider: 'keyless', model: 'any', error: expect.stringContaining('KEYLESS_API_KEY') }]])
  expect(fallback.after(chosen).hasMore()).toBe(true)
  expect(open([]).fallback.after(chosen).hasMore()).toBe(false)
})

test('an address and a key of the settings go with their own entry, and with no other', async () => {
  const { fallback, asked } = open([
    { provider: 'custom', model: 'm', base_url: 'http://127.0.0.1:1/v1', api_key: 'k' },
    { provider: 'near', model: 'n', base_url: '', api_key: '' },
  ])
  await namesAfter(fallback)
  expect(asked).toEqual([
    { provider: 'custom', model: 'm', settings: { provider: 'custom', base_url: 'http://127.0.0.1:1/v1', api_key: 'k' } },
    { provider: 'near', model: 'n' },
  ])
})

test('one that said when it answers again is left alone until then', async () => {
  const { fallback, clock } = open([{ provider: 'near', model: 'small' }])
  const near = await fallback.after(chosen).next()
  if (!near) throw new Error('there is one')
  fallback.rest(near, 60_000)
  expect([fallback.isResting(near), await namesAfter(fallback)]).toEqual([true, []])
  await clock.advance(60_001)
  expect([fallback.isResting(near), await namesAfter(fallback)]).toEqual([false, ['near/small']])
})
