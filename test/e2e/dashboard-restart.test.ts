// @module-tag process
import { expect, test } from 'vitest'
import { openHome } from '../../host/src/config/home/home.ts'
import { findDashboard } from '../../host/src/dashboard/instance.ts'
import { startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const token = 'the-token-of-this-test'
const address = /The dashboard is at (\S+)/

const ask = (url: string, method: string, path: string): Promise<Response> =>
  fetch(new URL(path, url), { method, headers: { 'x-agent-session-token': token } })

const mayRestart = async (url: string): Promise<unknown> =>
  ((await (await ask(url, 'GET', '/api/agent/update')).json()) as { mayRestart: unknown }).mayRestart

const pidIn = (home: TestHome): number | undefined => findDashboard(openHome({ environment: home.environment }))?.pid

test('a dashboard under a service manager ends with the code that has it started again; one that nobody watches has no such door', async () => {
  using home = openTestHome()
  for (const [environment, status] of [
    [{ INVOCATION_ID: 'f00d' }, 200],
    [{ INVOCATION_ID: '' }, 404],
  ] as const) {
    const words = ['dashboard', '--no-open', '--port', '0']
    const program = startAgent(home, words, { environment: { ...environment, AGENT_DASHBOARD_SESSION_TOKEN: token } })
    const [, url = ''] = address.exec(await program.heard(address)) ?? []
    expect(await mayRestart(url)).toBe(status === 200)
    expect((await ask(url, 'POST', '/api/dashboard/restart')).status).toBe(status)
    if (status !== 200) program.child.kill('SIGTERM')
    expect((await program.ended).code).toBe(status === 200 ? 75 : 0)
  }
})

test('beside a gateway it comes back at the same address, and ends with the gateway', async () => {
  using home = openTestHome()
  const environment = { AGENT_DASHBOARD_SESSION_TOKEN: token, INVOCATION_ID: '' }
  const program = startAgent(home, ['gateway', 'run', '--dashboard'], { environment })
  const [, url = ''] = address.exec(await program.heard(address)) ?? []
  const first = pidIn(home)
  expect((await ask(url, 'POST', '/api/dashboard/restart')).status).toBe(200)
  await expect.poll(() => pidIn(home) ?? first, { timeout: 20_000 }).not.toBe(first)
  await expect.poll(() => mayRestart(url).catch(() => false), { timeout: 20_000 }).toBe(true)
  program.child.kill('SIGTERM')
  await program.ended
  await expect.poll(() => pidIn(home), { timeout: 20_000 }).toBeUndefined()
})
