// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { program, runAgent, startAgent } from '../support/run-agent.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const address = /The dashboard (?:is at|runs already:) (\S+)/

/** What `agent <words>` says where the dashboard is. It is one that runs already. */
async function attached(home: TestHome, words: readonly string[]): Promise<string | undefined> {
  const { code, out } = await runAgent(home, [...words, '--no-open'])
  expect(code).toBe(0)
  return address.exec(out)?.[1]
}

/** A page has another nonce each time. */
const withoutOnce = (page: string): string => page.replace(/csp-nonce" content="[^"]+"/, '')

async function profileIn(url: string): Promise<string> {
  const { origin } = new URL(url)
  return ((await (await fetch(`${origin}/api/status`)).json()) as { profile: string }).profile
}

proves(
  'cli.dashboard.profile',
  "behind a profile's name it is the machine's dashboard with that profile chosen, also where it has to be started",
  async () => {
    using home = openTestHome()
    await runHere(home, ['profile', 'create', 'work'])
    const dashboard = await startDashboard(home, 0)
    try {
      expect(await attached(home, ['dashboard'])).toBe(dashboard.url)
      expect(await attached(home, ['work', 'dashboard'])).toBe(`${dashboard.url}?profile=work`)
    } finally {
      await dashboard.end('SIGTERM')
    }
    const program = startAgent(home, ['work', 'dashboard', '--no-open', '--port', '0'])
    const [, url = ''] = address.exec(await program.heard(address)) ?? []
    expect([await profileIn(url), new URL(url).search]).toEqual(['default', '?profile=work'])
    expect(await runHere(home, ['work', 'dashboard', '--stop'])).toMatchObject({ code: 0, out: 'The dashboard stopped.\n' })
    expect(await program.ended).toMatchObject({ code: 0 })
  },
)

proves(
  'cli.dashboard.isolated',
  'an isolated one is of that profile alone, beside that of the machine, and is told of and stopped by itself',
  async () => {
    using home = openTestHome()
    await runHere(home, ['profile', 'create', 'work'])
    const dashboard = await startDashboard(home, 0)
    try {
      const program = startAgent(home, ['work', 'dashboard', '--isolated', '--no-open', '--port', '0'])
      const [, url = ''] = address.exec(await program.heard(address)) ?? []
      expect([await profileIn(url), new URL(url).search, await profileIn(dashboard.url)]).toEqual(['work', '', 'default'])
      const status = (...words: string[]) => runHere(home, [...words, 'dashboard', '--status'])
      expect((await status()).out).toContain(new URL(dashboard.url).origin)
      const isolated = () => runHere(home, ['work', 'dashboard', '--isolated', '--status'])
      expect((await isolated()).out).toContain(new URL(url).origin)
      await runHere(home, ['work', 'dashboard', '--isolated', '--stop'])
      await program.ended
      expect([(await isolated()).code, (await status()).code]).toEqual([1, 0])
    } finally {
      await dashboard.end('SIGTERM')
    }
  },
)

proves(
  [
    'env.dashboard.session-token',
    'env.dashboard.tui-obsolete',
    'dashboard.chat-page',
    'dashboard.chat-always',
    'version.rename.dashboard-tui',
  ],
  'the variable is the token, the chat is always there, and what once switched it does nothing',
  async () => {
    using home = openTestHome()
    expect(await runHere(home, ['dashboard', '--tui', '--no-open'])).toMatchObject({
      code: 2,
      note: expect.stringContaining("Unknown option '--tui'"),
    })
    for (const switched of ['0', '1']) {
      home.write('.env', `AGENT_DASHBOARD_TUI=${switched}\n`)
      const dashboard = await startDashboard(home, 0, 'a-token-that-was-chosen')
      try {
        const ask = (path: string, token?: string) =>
          fetch(new URL(path, dashboard.url), token === undefined ? {} : { headers: { 'x-agent-session-token': token } })
        const page = await ask('chat')
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
        expect(withoutOnce(await page.text())).toBe(withoutOnce(await (await ask('')).text()))
        const statuses = await Promise.all([
          ask('api/sessions', 'a-token-that-was-chosen'),
          ask('api/sessions', 'another'),
          ask('api/sessions'),
        ])
        expect(statuses.map(({ status }) => status)).toEqual([200, 401, 401])
      } finally {
        await dashboard.end('SIGTERM')
      }
    }
  },
)

test('one that was started beside a gateway which is gone by then ends without a word', async () => {
  using home = openTestHome()
  const words = ['dashboard', '--no-open', '--from-start', '--port', '0']
  const child = spawn(process.execPath, [program, ...words], { env: home.environment, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  child.disconnect()
  const said = child.stderr ? text(child.stderr) : ''
  const [code] = await once(child, 'exit')
  expect([code, await said]).toEqual([0, ''])
})
