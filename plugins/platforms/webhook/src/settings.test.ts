import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadRoutes } from './settings.ts'

const load = (extra: unknown, secret?: string) =>
  loadRoutes(config.parse(extra), {
    find: async () => secret,
    get: async (name) => {
      throw fail('ENV_MISSING', { name, file: '.env' })
    },
  })
const routes = (one: object) => ({ routes: { ci: one } })

test('a route has its own secret, else the variable, else the common key', async () => {
  const of = async (extra: unknown, secret?: string) => (await load(extra, secret)).get('ci')?.secret
  expect(await of({ secret: 'common', ...routes({ secret: 'own' }) }, 'variable')).toBe('own')
  expect(await of({ secret: 'common', ...routes({}) }, 'variable')).toBe('variable')
  expect(await of({ secret: 'common', ...routes({}) })).toBe('common')
  expect(await of(routes({ secret: 'INSECURE_NO_AUTH' }), 'variable')).toBeUndefined()
})

test('a route without any secret is not opened', async () => {
  await expect(load(routes({}))).rejects.toMatchObject({ code: 'ENV_MISSING', params: { name: 'WEBHOOK_SECRET' } })
  expect((await load({})).size).toBe(0)
})

test('what is left out has its default', async () => {
  expect((await load(routes({ coalesce: { key: '{id}' } }), 's')).get('ci')).toMatchObject({
    events: [],
    deliver: undefined,
    verbatim: false,
    coalesce: { key: '{id}', windowMs: 30_000, maxWaitMs: 300_000 },
  })
})

test.each([
  [{ routes: { 'a/b': {} } }, 'platforms.webhook.extra.routes.a/b'],
  [{ routes: { ' ': {} } }, 'platforms.webhook.extra.routes. '],
  [routes({ deliver_only: true }), 'platforms.webhook.extra.routes.ci.deliver_only'],
  [routes({ filters: { field: 'a' } }), 'platforms.webhook.extra.routes.ci.filters'],
])('%j cannot be used, and the key is named', async (extra, name) => {
  await expect(load(extra, 's')).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test('unknown keys, and files and hosts of this network, do not fit', () => {
  for (const extra of [{ port: 1 }, routes({ script: 'x' }), { rate_limit: 0 }, { max_body_bytes: 2 ** 21 }, routes({ coalesce: {} })])
    expect(config.safeParse(extra).success, JSON.stringify(extra)).toBe(false)
})
