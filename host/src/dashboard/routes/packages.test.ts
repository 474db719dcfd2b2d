// @module-tag process
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

const hash = 'a'.repeat(64)

/** Stands for agent: says what it was asked, and wants somebody's word for an update. */
const program = [
  process.execPath,
  '-e',
  `const words = process.argv.slice(1)
console.log(JSON.stringify({ consent: { plugin: 'x', version: '1.0.0', hash: '${hash}', text: words.join(' ') }, packages: [{ name: words.join(' ') }] }))
if (words.includes('update') && !words.includes('--accept')) {
  console.error('agent: Read it above, then run the same command with --accept ${hash}.')
  process.exitCode = 1
}
if (words.includes('broken')) {
  console.error('first line\\nagent: There is no such package.')
  process.exitCode = 1
}`,
  '--',
]

const open = (): Promise<TestDashboard> => openTestDashboard({ program })

async function ended(dashboard: TestDashboard, name: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { body } = await dashboard.ask('GET', `/api/actions/${name}/status`)
    if (body.state !== 'running') return body
    await setTimeout(10)
  }
}

test('a package is looked at before anybody agrees, and the registry is asked for words', async () => {
  await using dashboard = await open()
  const offer = await dashboard.ask('POST', '/api/plugins/offer', { body: { spec: 'agent-plugin-dice@^1.0.0' } })
  expect(offer.body).toMatchObject({ consent: { hash, text: '-p default plugins install agent-plugin-dice@^1.0.0 --json' } })
  const found = await dashboard.ask('GET', '/api/plugins/search?q=dice%20--json%20of')
  expect(found.body).toEqual({ packages: [{ name: '-p default plugins search --json dice of' }] })
  const failed = await dashboard.ask('GET', '/api/plugins/search?q=broken')
  expect(failed.body).toMatchObject({ problem: 'There is no such package.' })
})

test('who agrees installs; an update that wants more says what has to be agreed to', async () => {
  await using dashboard = await open()
  await dashboard.ask('POST', '/api/plugins/install', { body: { spec: 'dice', accept: hash } })
  expect(await ended(dashboard, 'plugin-install')).toMatchObject({
    state: 'done',
    tail: [expect.stringContaining(`plugins install dice --accept ${hash.slice(0, 4)}`)],
  })
  await dashboard.ask('POST', '/api/plugins/dice/update', { body: {} })
  expect(await ended(dashboard, 'plugin-update')).toMatchObject({ state: 'failed', wantsAccept: hash })
  await dashboard.ask('POST', '/api/plugins/dice/update', { body: { accept: hash } })
  const again = await ended(dashboard, 'plugin-update')
  expect([again.state, again.wantsAccept]).toEqual(['done', undefined])
  await dashboard.ask('POST', '/api/plugins/dice/remove', { body: { data: true } })
  expect(await ended(dashboard, 'plugin-remove')).toMatchObject({ tail: [expect.stringContaining('plugins remove dice --data')] })
})

test.each([
  ['/api/plugins/offer', { spec: '--frozen' }],
  ['/api/plugins/install', { spec: 'dice --json' }],
  ['/api/plugins/install', { spec: 'dice', accept: '--frozen' }],
])('what would be an option of the command is refused: %s %j', async (path, body) => {
  await using dashboard = await open()
  expect((await dashboard.ask('POST', path, { body })).status).toBe(400)
})

test('an id that is none reaches no command', async () => {
  await using dashboard = await open()
  for (const id of ['--data', 'a%20b', '..%2F..'])
    expect((await dashboard.ask('POST', `/api/plugins/${id}/remove`, { body: {} })).status).toBe(404)
})
