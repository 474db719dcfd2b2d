import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { command } from './dashboard.ts'

const installRoot = new URL('../../../..', import.meta.url).pathname

proves('cli.dashboard.flags', 'a dashboard is found by --status and runs until it is told to stop', async () => {
  using home = openTestHome()
  const { environment } = home
  const stop = new AbortController()
  const found: string[] = []
  const onLine = (line: string): void => {
    if (!line.startsWith('The dashboard is at')) return
    void runCommand(command, ['--status'], { environment, installRoot }).then(({ out }) => {
      found.push(out)
      stop.abort()
    })
  }
  const words = ['--host', '127.0.0.1', '--port', '0', '--no-open']
  const { code, out } = await runCommand(command, words, { environment, installRoot, signal: stop.signal, onLine })
  const [, url] = /The dashboard is at (http:\/\/127\.0\.0\.1:\d+)\/\n/.exec(out) ?? []
  expect([code, found]).toEqual([0, [`The dashboard runs (pid ${process.pid}, ${url}).\n`]])
  expect(await runCommand(command, ['--status'], { environment, installRoot })).toMatchObject({ code: 1 })
  expect(await runCommand(command, ['--stop'], { environment, installRoot })).toMatchObject({ error: 'DASHBOARD_NOT_RUNNING' })
})
