// @module-tag process
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { TestHome } from '../../../../test/support/test-home.ts'
import type { ToolsetList } from '../api.ts'

const code = `export default {
  async open({ secrets, state }) {
    return {
      tools: { count: async () => ({ ok: true, text: String(await state.get('times')) }) },
      setUp: async () => {
        const times = Number((await state.get('times')) ?? 0) + 1
        await state.set('times', times)
        return 'Set up for ' + (await secrets.get('MINE_WHO')) + '.\\nTimes: ' + times
      },
    }
  },
}
`
const parameters = { type: 'object', properties: {}, additionalProperties: false }
const manifest = {
  ...{ manifestVersion: 1, id: 'toolset-mine', name: 'Mine', description: 'Counts.', version: '1.0.0', license: 'MIT' },
  api: { toolset: 1 },
  contributes: {
    toolsets: [
      {
        ...{ id: 'mine', label: 'Mine', entry: 'toolset.js', env: ['MINE_WHO'], setUp: 'Learn who it works for' },
        tools: [{ name: 'count', description: 'Counts.', parameters, effect: 'none' }],
      },
    ],
  },
  env: [{ name: 'MINE_WHO', secret: false, required: true, prompt: 'Who it works for' }],
}

function writeTool(home: TestHome): void {
  const on = 'plugins: { entries: { toolset-mine: { enabled: true } } }\n'
  for (const [place, who] of [
    ['', 'everybody'],
    ['profiles/work/', 'the work'],
  ] as const) {
    home.write(`${place}plugins/local/toolset-mine/agent.plugin.json`, JSON.stringify(manifest))
    home.write(`${place}plugins/local/toolset-mine/package.json`, '{"type":"module"}')
    home.write(`${place}plugins/local/toolset-mine/toolset.js`, code)
    home.write(`${place}config.yaml`, on)
    home.write(`${place}.env`, `MINE_WHO=${who}\n`)
    chmodSync(join(home.home, place, '.env'), 0o600)
  }
}

const url = '/api/tools/toolsets/set-up'

/** What came of the set-up in a profile. */
async function setUp({ ask }: TestDashboard, profile: string): Promise<unknown> {
  const begun = await ask('POST', url, { body: { id: 'mine', profile } })
  expect(begun.body).toMatchObject({ name: 'tools-set-up' })
  let last: Readonly<Record<string, unknown>> = begun.body
  const status = async () => {
    last = (await ask('GET', `/api/actions/tools-set-up/status?profile=${profile}`)).body
    return last.state
  }
  await expect.poll(status, { timeout: 60_000 }).not.toBe('running')
  return [last.state, last.tail]
}

proves(
  'dashboard.skills',
  'the set-up of a tool runs with the settings and the state of the chosen profile, and of no other',
  async () => {
    await using dashboard = await openTestDashboard({ prepare: writeTool })
    const { toolsets } = (await dashboard.ask('GET', '/api/tools/toolsets?profile=work')).body as unknown as ToolsetList
    expect(toolsets.find(({ id }) => id === 'mine')).toMatchObject({ enabled: true, setUp: 'Learn who it works for' })
    expect(await setUp(dashboard, 'work')).toEqual(['done', ['Set up for the work.', 'Times: 1']])
    expect(await setUp(dashboard, 'work')).toEqual(['done', ['Set up for the work.', 'Times: 2']])
    expect(await setUp(dashboard, 'default')).toEqual(['done', ['Set up for everybody.', 'Times: 1']])
  },
  180_000,
)

test('what has nothing to set up, is off or is not there is refused in words, and nothing is started', async () => {
  await using dashboard = await openTestDashboard({ prepare: writeTool })
  const post = (id: string, more: object = {}) => dashboard.ask('POST', url, { body: { id, ...more } })
  expect(await post('todo')).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('nothing to set up') } } })
  expect(await post('mien')).toMatchObject({ status: 404 })
  expect(await post('mine', { profile: 'nobody' })).toMatchObject({ status: 404 })
  await dashboard.ask('PUT', '/api/tools/toolsets', { body: { id: 'mine', enabled: false } })
  expect(await post('mine')).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('agent tools enable mine') } },
  })
  expect((await dashboard.ask('GET', '/api/actions/tools-set-up/status')).status).toBe(404)
})
