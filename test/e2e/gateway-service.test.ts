// @module-tag process
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { openFakeSystemctl } from '../support/fakes/fake-systemctl.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

/** A service sees nothing of a shell: what it needs stands in the home. */
function settle(home: TestHome): void {
  home.write('.env', `API_SERVER_PORT=0\nAGENT_NATIVE_CACHE=${home.environment.AGENT_NATIVE_CACHE}\n`)
}

proves(
  'cli.gateway.service-scope',
  'each home has its own service that starts its gateway, and what was stopped on purpose stays stopped at the next login',
  async () => {
    using home = openTestHome()
    using other = openTestHome()
    settle(home)
    const { environment, program, calls } = openFakeSystemctl(home.folder)
    const run = (...words: string[]) => runAgent(home, ['gateway', ...words], { environment })
    const runOther = (...words: string[]) =>
      runAgent(home, ['gateway', ...words], { environment: { ...environment, AGENT_HOME: other.home } })
    const status = async (): Promise<{ state: string }> => JSON.parse((await run('status', '--json')).out)
    const { unit, file } = JSON.parse((await run('install', '--json')).out)
    const logIn = (...options: string[]): void =>
      void execFileSync(program, ['--user', 'start', ...options, unit], { timeout: 10_000, stdio: 'ignore' })
    try {
      expect(JSON.parse((await runOther('install', '--json')).out).unit).not.toBe(unit)
      expect(JSON.parse((await runOther('uninstall', '--json')).out)).toMatchObject({ removed: true })

      logIn()
      while (!/^The gateway runs \(pid \d+, (?!still)/.test((await run('status')).out));
      expect(await runOther('status')).toMatchObject({ code: 1 })
      expect((await run('restart')).out).toMatch(/^The gateway stopped\.\nThe gateway runs/)
      expect((await run('stop')).out).toBe('The gateway stopped.\n')
      logIn('--wait')
      expect(await status()).toMatchObject({ state: 'stopped' })
      expect((await run('start')).out).toMatch(/^The gateway runs \(pid \d+, /)
    } finally {
      expect((await run('uninstall')).out).toBe(`The service ${unit} is stopped and removed: ${file}\n`)
    }
    expect(await status()).toMatchObject({ state: 'stopped' })
    // Two logins, and what a person restarts and starts is the service too.
    expect(calls().filter((call) => call.startsWith('--user start'))).toHaveLength(4)
  },
)

test('with a service that no systemd answers for, or a unit of somebody else, start makes a separate process', async () => {
  using home = openTestHome()
  settle(home)
  const run = (...words: string[]) => runAgent(home, ['gateway', ...words], { environment: { PATH: '/nonexistent' } })
  const { file } = JSON.parse((await run('install', '--json')).out)
  for (const prepare of [() => undefined, () => writeFileSync(file, '[Service]\nExecStart=/bin/true\n')]) {
    prepare()
    try {
      expect((await run('start')).out).toMatch(/^The gateway runs \(pid \d+, /)
    } finally {
      expect(await run('stop')).toMatchObject({ code: 0 })
    }
  }
})
