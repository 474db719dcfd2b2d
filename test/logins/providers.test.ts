// @module-tag server
import { expect } from 'vitest'
import type { LoginStep, ModelLogin } from '../../host/src/dashboard/api-logins.ts'
import { proves } from '../spec/proves.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { openTestDashboard, type TestDashboard } from '../support/servers/open-test-dashboard.ts'
import { browse, startOidcServer } from './oidc-server.ts'
import { deviceCodeAt, pkceAt, writeProvider } from './write-provider.ts'

const family = '/api/providers/oauth'
const waits = { timeout: 15_000 }

async function find({ ask }: TestDashboard): Promise<ModelLogin | undefined> {
  const { body } = await ask('GET', family)
  return (body.providers as readonly ModelLogin[]).find(({ id }) => id === 'mine')
}

const post = async ({ ask }: TestDashboard, verb: string, body: object = {}): Promise<LoginStep> =>
  (await ask('POST', `${family}/mine/${verb}`, { body })).body as unknown as LoginStep

proves(
  'dashboard.oauth-catalog',
  'a person in a browser logs in by a code that is typed in elsewhere, and the list tells how long it is good',
  async () => {
    await using server = await startOidcServer({ interval: 0.01 })
    await using vendor = await startFakeOpenai({})
    await using dashboard = await openTestDashboard({
      prepare: (home) => writeProvider(home, deviceCodeAt(server), { baseUrl: vendor.url, defaultModel: 'fake-model' }),
    })
    expect(await find(dashboard)).toEqual({ id: 'mine', name: 'Mine', kinds: ['device-code'], state: 'none', inherited: false })
    const step = await post(dashboard, 'start')
    expect(step).toMatchObject({ type: 'code', address: `${server.issuer}/device`, code: expect.stringMatching(/^[A-Z-]{8,}$/) })
    // Who loads the page again finds it, and who presses the button again begins no other.
    expect([(await find(dashboard))?.step, await post(dashboard, 'start')]).toEqual([step, step])
    if (step.type === 'code') await browse(step.fullAddress ?? '')
    await expect.poll(async () => (await find(dashboard))?.step?.type, waits).toBe('done')
    const after = await find(dashboard)
    expect(after).toMatchObject({ state: 'good', step: { answers: true, said: expect.arrayContaining(['Logged in to mine.']) } })
    expect((after?.expiresAt ?? 0) - Date.now()).toBeGreaterThan(3_500_000)
    // Nothing was chosen before, so that this one answers from now on, with the token of the login.
    expect(dashboard.home.read('config.yaml')).toMatch(/provider: mine/)
    const { access, refresh } = JSON.parse(dashboard.home.read('auth.json')).logins.mine as Readonly<Record<string, string>>
    expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${access}`])
    const { text } = await dashboard.ask('GET', family)
    for (const secret of [access, refresh, 'device_code']) expect(text).not.toContain(secret)
    expect(await post(dashboard, 'logout')).toMatchObject({ said: ['The login of mine is forgotten.'] })
    expect(JSON.parse(dashboard.home.read('auth.json')).logins).toEqual({})
  },
)

proves('dashboard.oauth-catalog', 'or by a page, whose address comes back by hand', async () => {
  await using server = await startOidcServer()
  await using dashboard = await openTestDashboard({ prepare: (home) => writeProvider(home, pkceAt(server)) })
  const step = await post(dashboard, 'start')
  if (step.type !== 'address') throw new Error(`It is ${step.type}.`)
  expect(new URL(step.address).searchParams.get('code_challenge_method')).toBe('S256')
  const { address } = await browse(step.address)
  expect(await post(dashboard, 'code', { code: address })).toEqual({ type: 'asking' })
  await expect.poll(async () => (await find(dashboard))?.step?.type, waits).toBe('done')
  expect(await find(dashboard)).toMatchObject({ kinds: ['pkce'], state: 'good' })
})
