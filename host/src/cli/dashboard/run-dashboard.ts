import { once } from 'node:events'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Home } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { type Dashboard, openDashboard } from '#dashboard/boot/open-dashboard.ts'
import { findDashboard, noteDashboard } from '#dashboard/instance.ts'
import { openLogs } from '#observe/log.ts'
import { waitFor } from '#rpc/gateway/wait-for.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, startAgain } from '../console/cli.ts'
import { openBrowser } from './open-browser.ts'

export interface DashboardCommandOptions {
  readonly host: string
  readonly port: string
  /** `--no-open`. */
  readonly open: boolean
  readonly insecure?: true
  readonly isolated?: true
  readonly status?: true
  readonly stop?: true
  /** The gateway of `npm start` has started it, and hears where it is. */
  readonly fromStart?: true
}

const stopWithinMs = 10_000

/** Shows the dashboard of this machine: the one that runs, or one that runs until Ctrl-C. */
export async function runDashboard(cli: Cli, options: DashboardCommandOptions): Promise<void> {
  const wished = openHomeOf(cli)
  // One dashboard serves all profiles of a home; an isolated one is its profile's own.
  const home = options.isolated ? wished : openHomeOf({ ...cli, profile: defaultProfile })
  const running = findDashboard(home)
  if (options.status) return tellStatus(cli, home)
  if (options.stop) return stopDashboard(cli, home)
  const suffix = options.isolated || wished.profile === home.profile ? '' : `?profile=${encodeURIComponent(wished.profile)}`
  if (running) return attach(cli, options, `${running.url}/${suffix}`)
  await serve(cli, options, home, suffix)
}

function attach(cli: Cli, { open, fromStart }: DashboardCommandOptions, url: string): void {
  if (fromStart) tellParent(url)
  else cli.out(`The dashboard runs already: ${url}`)
  if (open) openBrowser(cli, url)
}

async function serve(cli: Cli, options: DashboardCommandOptions, home: Home, suffix: string): Promise<void> {
  const { environment, installRoot } = cli
  const logs = openLogs({ folder: home.files.logs, level: 'info', mask: openEnvironment(environment).secrets })
  const log = logs.log('agent')
  const port = parsePort(options.port)
  const again = new AbortController()
  const open = (wanted: number): Promise<Dashboard> =>
    openDashboard({
      ...(isWatched(cli, options) ? { restart: () => again.abort() } : {}),
      ...{ installRoot, environment, profile: home.profile, signal: cli.signal, log, host: options.host, port: wanted },
      ...{ isolated: options.isolated === true, insecure: options.insecure === true, note: (text) => log.warn(text) },
    })
  if (options.insecure)
    cli.note(`--insecure: everybody who reaches ${options.host} gets the dashboard without a login, and may run commands.`)
  try {
    const dashboard = await openSomewhere(open, port, options)
    const forget = noteDashboard(home, dashboard.url)
    try {
      const url = `${dashboard.url}/${suffix}`
      if (options.fromStart) tellParent(url)
      else cli.out(`The dashboard is at ${url}\nCtrl-C stops it.`)
      if (options.open) openBrowser(cli, url)
      await untilEnded(cli, dashboard, { ...options, again: again.signal })
      if (again.signal.aborted && !cli.signal.aborted) leave(cli)
    } finally {
      forget()
      await dashboard.close()
    }
  } finally {
    logs.close()
  }
}

/** Who starts everything at once did not choose the port: where it is taken, any other does. */
async function openSomewhere(
  open: (port: number) => Promise<Dashboard>,
  port: number,
  { fromStart }: DashboardCommandOptions,
): Promise<Dashboard> {
  try {
    return await open(port)
  } catch (error) {
    if (!fromStart || !isAgentError(error, 'PORT_IN_USE')) throw error
    return await open(0)
  }
}

/** Who started it starts it again: the gateway beside it, or systemd, whose variable names the process that it has started: terminals pass it on. */
const isWatched = ({ environment }: Cli, { fromStart }: DashboardCommandOptions): boolean =>
  (fromStart === true && process.send !== undefined) || environment.SYSTEMD_EXEC_PID === String(process.pid)

interface Ending extends DashboardCommandOptions {
  /** It is to be started again. */
  readonly again: AbortSignal
}

/** Until Ctrl-C, or until who started it has gone; what was begun in it, such as a restart of that gateway, goes on. */
async function untilEnded({ signal }: Cli, dashboard: Dashboard, { fromStart, again }: Ending): Promise<void> {
  if (signal.aborted || again.aborted) return
  const stopped = Promise.race([once(signal, 'abort'), once(again, 'abort')])
  if (!fromStart || !process.send) {
    await stopped
    return
  }
  const left = process.connected ? once(process, 'disconnect') : Promise.resolve()
  await Promise.race([stopped, left])
  if (!signal.aborted && dashboard.isBusy()) await stopped
}

function leave(cli: Cli): void {
  cli.exit(startAgain)
  // The line to who started it would keep the process.
  if (process.connected) process.disconnect()
}

/** Who started it may be gone by then. */
function tellParent(url: string): void {
  process.send?.({ dashboard: url }, undefined, undefined, () => undefined)
}

function tellStatus(cli: Cli, home: Home): void {
  const running = findDashboard(home)
  if (running) {
    cli.out(`The dashboard runs (pid ${running.pid}, ${running.url}).`)
    return
  }
  cli.out(`No dashboard runs for ${home.path}. Start one with agent dashboard.`)
  cli.exit(1)
}

async function stopDashboard(cli: Cli, home: Home): Promise<void> {
  const running = findDashboard(home)
  if (!running) throw fail('DASHBOARD_NOT_RUNNING', { home: home.path })
  process.kill(running.pid, 'SIGTERM')
  const gone = await waitFor(cli, stopWithinMs, () => (findDashboard(home) ? undefined : true), 'Waiting for the dashboard …')
  if (!gone) throw fail('TIMED_OUT', { what: `Stopping the dashboard (pid ${running.pid})`, ms: stopWithinMs })
  cli.out('The dashboard stopped.')
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw fail('USAGE', { problem: `--port takes a number from 0 to 65535, not "${text}".`, try: 'agent dashboard --port 9119' })
  return port
}
