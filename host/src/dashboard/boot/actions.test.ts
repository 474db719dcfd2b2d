// @module-tag process
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

/** Stands for agent: says its words, and ends when the file is there. */
const program = `
const { appendFileSync, existsSync } = require('node:fs')
appendFileSync('starts', process.argv.slice(1).join(' ') + '\\n')
console.log('working')
setInterval(() => existsSync('go') && process.exit(0), 10)
`

const untilEnded = async (dashboard: TestDashboard, name: string): Promise<unknown> => {
  for (;;) {
    const { body } = await dashboard.ask('GET', `/api/actions/${name}/status`)
    if (body.state !== 'running') return body
    await setTimeout(10)
  }
}

proves(['dashboard.gateway.restart', 'dashboard.actions.single'], 'two restarts at once are one, and another action waits', async () => {
  await using dashboard = await openTestDashboard({ program: [process.execPath, '-e', program, '--'] })
  const asked = await Promise.all([1, 2].map(() => dashboard.ask('POST', '/api/gateway/restart', { body: {} })))
  expect(asked.map(({ body }) => [body.name, body.state, body.startedAt])).toEqual(
    asked.map(() => ['gateway-restart', 'running', asked[0]?.body.startedAt]),
  )
  const other = await dashboard.ask('POST', '/api/gateway/stop', { body: {} })
  expect([other.status, other.body.error]).toMatchObject([409, { code: 'HTTP_ACTION_RUNS' }])
  writeFileSync(join(dashboard.home.home, 'go'), '')
  expect(await untilEnded(dashboard, 'gateway-restart')).toMatchObject({ state: 'done', tail: ['working'] })
  expect(readFileSync(join(dashboard.home.home, 'starts'), 'utf8')).toBe('-p default gateway restart\n')
})

proves(['dashboard.agent.update', 'dashboard.actions.single'], 'two updates at once are one, and ask nobody', async () => {
  await using dashboard = await openTestDashboard({ program: [process.execPath, '-e', program, '--'] })
  const asked = await Promise.all([1, 2].map(() => dashboard.ask('POST', '/api/agent/update', { body: {} })))
  expect(asked.map(({ body }) => [body.name, body.state])).toEqual(asked.map(() => ['agent-update', 'running']))
  writeFileSync(join(dashboard.home.home, 'go'), '')
  expect(await untilEnded(dashboard, 'agent-update')).toMatchObject({ state: 'done' })
  expect(readFileSync(join(dashboard.home.home, 'starts'), 'utf8')).toBe('-p default update --yes\n')
})

test('looking for an update is an action that changes nothing, and what is known without it asks no server', async () => {
  await using dashboard = await openTestDashboard({
    program: [process.execPath, '-e', program, '--'],
    prepare: (home) => void home.write('config.yaml', 'updates: { pre_update_backup: full, non_interactive_local_changes: discard }\n'),
  })
  const { body } = await dashboard.ask('GET', '/api/agent/update')
  expect(body).toMatchObject({ version: body.installed, backup: 'full', localChanges: 'discard' })
  expect(body.otherwise).toBeUndefined()
  await dashboard.ask('POST', '/api/agent/update/check', { body: {} })
  writeFileSync(join(dashboard.home.home, 'go'), '')
  await untilEnded(dashboard, 'agent-update-check')
  expect(readFileSync(join(dashboard.home.home, 'starts'), 'utf8')).toBe('-p default update --check\n')
})

test('where the program is no checkout, the page learns how it is updated, and that another version lies on the disk', async () => {
  using place = openTestHome()
  const installRoot = place.work
  const install = (version: string): void => writeFileSync(join(installRoot, 'package.json'), JSON.stringify({ version }))
  install('1.0.0')
  await using dashboard = await openTestDashboard({ installRoot })
  install('1.1.0')
  const { body } = await dashboard.ask('GET', '/api/agent/update')
  expect(body).toMatchObject({ version: '1.0.0', installed: '1.1.0', otherwise: expect.stringContaining('is no git checkout. Update it') })
})

test('an installation of another package does not join the one that runs', async () => {
  await using dashboard = await openTestDashboard({ program: [process.execPath, '-e', program, '--'] })
  const install = (spec: string) => dashboard.ask('POST', '/api/plugins/install', { body: { spec } })
  expect([await install('one'), await install('one'), await install('two')]).toMatchObject([
    { status: 200, body: { state: 'running' } },
    { status: 200, body: { state: 'running' } },
    { status: 409, body: { error: { code: 'HTTP_ACTION_RUNS' } } },
  ])
  writeFileSync(join(dashboard.home.home, 'go'), '')
  await untilEnded(dashboard, 'plugin-install')
  expect(readFileSync(join(dashboard.home.home, 'starts'), 'utf8')).toBe('-p default plugins install one\n')
})

proves('dashboard.actions.spawn-failed', 'an action that cannot be started has failed and says why', async () => {
  await using dashboard = await openTestDashboard({ program: ['/nonexistent/agent'] })
  await dashboard.ask('POST', '/api/gateway/restart', { body: {} })
  expect(await untilEnded(dashboard, 'gateway-restart')).toMatchObject({ state: 'failed', tail: [expect.stringContaining('ENOENT')] })
})

test('an action that was never begun is not found', async () => {
  await using dashboard = await openTestDashboard()
  expect((await dashboard.ask('GET', '/api/actions/gateway-start/status')).status).toBe(404)
})
