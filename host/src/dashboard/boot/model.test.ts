// @module-tag server
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

const key = 'sk-the-secret-of-this-test'
const customAt = (url: string): string => `model: { provider: custom, default: mine, base_url: "${url}" }\n`

test('the model, what may be chosen and a real call are told without any secret', async () => {
  await using server = await startFakeOpenai({
    models: ['mine'],
    answers: [{ text: 'Yes.' }, { refuse: { status: 401, message: 'bad key' } }],
  })
  await using dashboard = await openTestDashboard({
    environment: { OPENAI_API_KEY: key },
    prepare: (home) => void home.write('config.yaml', customAt(server.url)),
  })
  expect((await dashboard.ask('GET', '/api/setup')).body).toEqual({ configured: true, provider: 'custom', model: 'mine', offline: false })
  expect((await dashboard.ask('GET', '/api/model/info')).body).toEqual({ provider: 'custom', model: 'mine', offline: false })
  const options = await dashboard.ask('GET', '/api/model/options')
  expect(options.text).not.toContain(key)
  const byId = new Map((options.body.providers as readonly { readonly id: string }[]).map((each) => [each.id, each]))
  expect(byId.get('custom')).toMatchObject({ current: true, ready: true, models: ['mine'] })
  expect(byId.get('openai')).toMatchObject({
    ...{ current: false, ready: true },
    env: expect.arrayContaining([expect.objectContaining({ name: 'OPENAI_API_KEY', secret: true, set: true, source: 'environment' })]),
  })
  expect(byId.get('anthropic')).toMatchObject({ ready: false, needs: expect.stringMatching(/needs its key/) })
  expect((await dashboard.ask('POST', '/api/model/test', { body: {} })).body).toEqual({ ok: true, detail: 'Yes.' })
  expect((await dashboard.ask('POST', '/api/model/test', { body: {} })).body).toMatchObject({ ok: false, detail: /did not answer/ })
  expect((await dashboard.ask('GET', '/api/model/info?profile=nobody')).status).toBe(404)
})

proves('dashboard.model', 'the four endpoints tell, offer, set and read the pins of side tasks, each for the profile', async () => {
  await using server = await startFakeOpenai({ models: ['mine'], answers: [{ text: 'Yes.' }] })
  await using dashboard = await openTestDashboard({ environment: { OPENAI_API_KEY: key } })
  await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  const pins = [
    'auxiliary:',
    '  compression: { provider: auto }',
    `  vision: { model: sees, base_url: "https://ann:hush@models.example", api_key: ${key} }`,
    '  title_generation: { provider: opnai }',
    '',
  ]
  dashboard.home.write('profiles/work/config.yaml', `${customAt(server.url)}${pins.join('\n')}`)
  const ask = (what: string, profile: string) => dashboard.ask('GET', `/api/model/${what}?profile=${profile}`)
  const read = await ask('auxiliary', 'work')
  const conversation = { pinned: false, provider: 'custom', model: 'mine' }
  expect(read.body.tasks).toEqual([
    { task: 'approval', ...conversation },
    { task: 'background_review', ...conversation },
    { task: 'compression', ...conversation },
    { task: 'title_generation', pinned: true, problem: expect.stringContaining('opnai') },
    { task: 'vision', pinned: true, provider: 'custom', model: 'sees', baseUrl: 'https://[secret]@models.example' },
  ])
  expect(read.text).not.toMatch(/hush|sk-the-secret/)
  const isCurrent = async (profile: string): Promise<unknown> =>
    ((await ask('options', profile)).body.providers as readonly { readonly id: string; readonly current: boolean }[]).find(
      ({ current }) => current,
    )?.id
  expect([(await ask('info', 'work')).body, await isCurrent('work')]).toEqual([expect.objectContaining({ model: 'mine' }), 'custom'])
  expect((await ask('auxiliary', 'default')).body.tasks).toContainEqual(
    expect.objectContaining({ task: 'vision', pinned: false, provider: 'openai' }),
  )
  const set = await dashboard.ask('POST', '/api/model/set', { body: { provider: 'custom', model: 'mine', profile: 'work' } })
  expect([set.status, await isCurrent('default')]).toEqual([200, 'openai'])
})

test('a side task is done by no model where nothing is chosen', async () => {
  await using dashboard = await openTestDashboard()
  expect((await dashboard.ask('GET', '/api/model/auxiliary')).body.tasks).toContainEqual({ task: 'vision', pinned: false })
})

test('nothing is configured until something is, and the offline model is named meanwhile', async () => {
  await using dashboard = await openTestDashboard()
  expect((await dashboard.ask('GET', '/api/setup')).body).toMatchObject({ configured: false, offline: true })
  const { status, body } = await dashboard.ask('POST', '/api/model/set', { body: { provider: 'openai', model: 'gpt-5.1' } })
  expect([status, body.error]).toEqual([400, expect.objectContaining({ fields: { model: expect.stringMatching(/It needs its key/) } })])
  expect((await dashboard.ask('POST', '/api/model/set', { body: { provider: 'opnai', model: 'x' } })).status).toBeGreaterThan(399)
})

proves('dashboard.model.expensive', 'a dear model is written after its warning alone, and only in the profile that is meant', async () => {
  await using server = await startFakeOpenai({ models: ['mine', 'dear'], answers: [{ text: 'Yes.' }] })
  const config = `${customAt(server.url)}prices: [{ provider: custom, model: dear, input: 100, output: 500 }]\n`
  await using dashboard = await openTestDashboard()
  await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  const file = dashboard.home.write('profiles/work/config.yaml', config)
  const set = (more: object) =>
    dashboard.ask('POST', '/api/model/set', { body: { provider: 'custom', model: 'dear', profile: 'work', ...more } })
  expect((await set({})).body).toEqual({ said: [], live: false, warning: expect.stringMatching(/\$100 in and \$500 out/) })
  expect([readFileSync(file, 'utf8'), server.requests.length]).toEqual([config, 0])
  const done = await set({ confirm: true })
  expect([done.status, done.body.warning, done.body.said]).toEqual([
    200,
    undefined,
    expect.arrayContaining([expect.stringMatching(/with dear\./)]),
  ])
  expect(readFileSync(file, 'utf8')).toMatch(/default: dear/)
  expect(existsSync(join(dashboard.home.home, 'config.yaml'))).toBe(false)
})

test('the last lines of a log are told from a level on, and a secret that stands there is masked', async () => {
  const line = (level: string, msg: string): string => JSON.stringify({ level, time: 0, pid: 1, name: 'agent', msg })
  await using dashboard = await openTestDashboard({
    environment: { OPENAI_API_KEY: key },
    prepare: (home) =>
      void home.write('logs/gateway.log', `${line('warn', 'first')}\n${line('info', `took ${key}`)}\n${line('error', 'last')}\n`),
  })
  const { body, text } = await dashboard.ask('GET', '/api/logs?file=gateway&lines=2')
  expect(body).toMatchObject({
    file: 'gateway',
    lines: [
      { level: 'info', text: 'agent: took [secret]' },
      { level: 'error', text: 'agent: last' },
    ],
  })
  expect(text).not.toContain(key)
  const loud = await dashboard.ask('GET', '/api/logs?file=gateway&lines=2&level=warn')
  expect(loud.body.lines).toMatchObject([{ text: 'agent: first' }, { text: 'agent: last' }])
  expect((await dashboard.ask('GET', '/api/logs')).body).toEqual({ file: 'agent', lines: [] })
  expect((await dashboard.ask('GET', '/api/logs?file=../config')).body.error).toMatchObject({ fields: { file: 'does not fit' } })
  expect((await dashboard.ask('GET', '/api/logs?profile=nobody')).status).toBe(404)
})
