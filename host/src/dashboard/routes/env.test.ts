// @module-tag server
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { EnvList } from '../api.ts'

const list = async (dashboard: TestDashboard): Promise<EnvList> => (await dashboard.ask('GET', '/api/env')).body as unknown as EnvList
const find = async (dashboard: TestDashboard, name: string) => (await list(dashboard)).variables.find((one) => one.name === name)

proves(
  'dashboard.env',
  'a variable is set, shown to who asks for it, and taken out; its value is in no other answer and in no log',
  async () => {
    await using dashboard = await openTestDashboard({ prepare: (home) => home.write('.env', '# mine\nIRC_SERVER=irc.example\n') })
    const body = { name: 'OPENROUTER_API_KEY', value: 'sk-very-secret-1' }
    const put = await dashboard.ask('PUT', '/api/env', { body })
    expect(put.body).toMatchObject({ live: false, said: [expect.stringContaining('OPENROUTER_API_KEY is written to')] })
    expect(dashboard.home.read('.env')).toBe('# mine\nIRC_SERVER=irc.example\nOPENROUTER_API_KEY=sk-very-secret-1\n')
    const listed = await dashboard.ask('GET', '/api/env')
    expect(put.text + listed.text).not.toContain('sk-very-secret-1')
    expect(await find(dashboard, 'OPENROUTER_API_KEY')).toMatchObject({ secret: true, set: true, source: 'file', shadowed: false })
    expect(await find(dashboard, 'IRC_SERVER')).toMatchObject({
      secret: false,
      required: true,
      value: 'irc.example',
      usedBy: [expect.stringMatching(/^platform-/)],
    })
    expect((await dashboard.ask('POST', '/api/env/reveal', { body: { name: body.name } })).body).toEqual({ value: body.value })
    const log = dashboard.home.read('logs/dashboard-auth.log')
    expect(JSON.parse(log)).toMatchObject({ event: 'value shown', variable: body.name, address: '127.0.0.1' })
    expect(log).not.toContain(body.value)
    await dashboard.ask('DELETE', '/api/env', { body: { name: body.name } })
    expect(dashboard.home.read('.env')).toBe('# mine\nIRC_SERVER=irc.example\n')
    expect((await dashboard.ask('POST', '/api/env/reveal', { body: { name: body.name } })).status).toBe(404)
  },
)

test('a name that nothing reads is not found, with the nearest one, and names of the machine are none of ours', async () => {
  await using dashboard = await openTestDashboard()
  for (const [method, path] of [
    ['PUT', '/api/env'],
    ['DELETE', '/api/env'],
    ['POST', '/api/env/reveal'],
  ] as const) {
    const body = { name: 'IRC_SERVR', ...(method === 'PUT' ? { value: 'x' } : {}) }
    const answer = await dashboard.ask(method, path, { body })
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('IRC_SERVER')])
  }
  for (const name of ['PATH', 'HOME', 'AGENT_HOME'])
    expect((await dashboard.ask('POST', '/api/env/reveal', { body: { name } })).status).toBe(404)
  expect(() => dashboard.home.read('.env')).toThrow()
})

test('a value that does not fit is told beside its variable, and nothing is written', async () => {
  await using dashboard = await openTestDashboard()
  const put = (name: string, value: string) => dashboard.ask('PUT', '/api/env', { body: { name, value } })
  expect((await put('IRC_USE_TLS', 'perhaps')).body.error).toMatchObject({ fields: { IRC_USE_TLS: 'must be true or false' } })
  expect((await put('AGENT_MAX_ITERATIONS', 'many')).status).toBe(400)
  expect((await put('IRC_SERVER', '')).status).toBe(400)
  expect(() => dashboard.home.read('.env')).toThrow()
})

test('what the process says before the file is said, and an address with a password is not shown', async () => {
  const environment = { IRC_SERVER: 'of-the-process' }
  await using dashboard = await openTestDashboard({
    environment: { ...environment },
    prepare: (home) => home.write('.env', 'IRC_SERVER=of-the-file\nOPENAI_BASE_URL=https://ann:hidden-word@models.example/v1\n'),
  })
  const { body } = await dashboard.ask('PUT', '/api/env', { body: { name: 'IRC_SERVER', value: 'other' } })
  expect(body.said).toContain('IRC_SERVER is shadowed by the environment of the process.')
  expect(await find(dashboard, 'IRC_SERVER')).toMatchObject({ source: 'environment', shadowed: true, value: 'of-the-process' })
  expect(JSON.stringify(await list(dashboard))).not.toContain('hidden-word')
})
