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

/** As systemd starts a program, and as a terminal does that systemd has started. */
const bySystemd = ['sh', '-c', 'SYSTEMD_EXEC_PID=$$ exec "$@"', 'sh']
const byTerminal = ['sh', '-c', 'export SYSTEMD_EXEC_PID=$$; "$@"', 'sh']

test('a dashboard under systemd ends with the code that has it started again; one that nobody watches has no such door', async () => {
  using home = openTestHome()
  for (const [wrapper, status] of [
    [bySystemd, 200],
    [byTerminal, 404],
  ] as const) {
    const words = ['dashboard', '--no-open', '--port', '0']
    const program = startAgent(home, words, { wrapper, environment: { INVOCATION_ID: 'f00d', AGENT_DASHBOARD_SESSION_TOKEN: token } })
    const [, url = ''] = address.exec(await program.heard(address)) ?? []
    expect(await mayRestart(url)).toBe(status === 200)
    expect((await ask(url, 'POST', '/api/dashboard/restart')).status).toBe(status)
    if (status !== 200) process.kill(pidIn(home) ?? 0, 'SIGTERM')
    expect((await program.ended).code).toBe(status === 200 ? 75 : 0)
  }
})

test('beside a gateway it comes back at the same address, and ends with the gateway', async () => {
  using home = openTestHome()
  const environment = { AGENT_DASHBOARD_SESSION_TOKEN: token }
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
