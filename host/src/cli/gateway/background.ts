import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import { ensureFolder, type Home, homeOf } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { requireSound } from '#config/load.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import type { GatewayStatus } from '#gateway/instance/gateway-status.ts'
import {
  alreadyRunning,
  describeDoor,
  findInstance,
  type InstanceRecord,
  isReady,
  noteStopped,
  noteWanted,
} from '#gateway/instance/instance.ts'
import type { ReloadReport } from '#gateway/reload/reload-report.ts'
import { allocatorEnvironment } from '#kernel/allocator.ts'
import { systemClock } from '#kernel/clock.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { showLines } from '#observe/printable.ts'
import { describeServed } from '#rpc/gateway/describe-served.ts'
import { waitFor } from '#rpc/gateway/wait-for.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../console/cli.ts'
import { startService } from './service.ts'

const startWithinMs = 30_000
const stopWithinMs = 30_000
const mostLastLines = 10

/** Starts the gateway as its service where one is installed, else by the one that serves it or as a process, and waits until it is ready. */
export async function startGateway(cli: Cli): Promise<void> {
  const home = openHomeOf(cli)
  const running = findInstance(home)
  if (running) throw alreadyRunning(home, running)
  // One that has a service is to run alone, whatever the default one serves.
  if (await startService(cli, home)) {
    const instance = await waitFor(cli, startWithinMs, () => findStarted(home))
    if (!instance) throw fail('TIMED_OUT', { what: 'Starting the service of the gateway', ms: startWithinMs })
    sayStarted(cli, home, instance)
    return sayServed(cli, home, instance)
  }
  if (!(await joinServing(cli, home))) await spawnGateway(cli, home)
}

/** Lets the gateway of the default profile serve this one too, where it serves profiles; false where it does not. */
async function joinServing(cli: Cli, home: Home): Promise<boolean> {
  const first = homeOf(home.root, defaultProfile)
  if (home.profile === defaultProfile || findInstance(first)?.serves !== true) return false
  noteWanted(home, systemClock)
  const { profiles = [] } = (await askGateway(first, 'plugins.reload', null, { signal: cli.signal })) as ReloadReport
  const { error } = profiles.find(({ profile }) => profile === home.profile) ?? {}
  if (error) throw fromWireError(error)
  const instance = findInstance(home)
  if (!instance) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
  sayStarted(cli, home, instance)
  return true
}

async function spawnGateway(cli: Cli, home: Home): Promise<void> {
  const file = join(ensureFolder(home.files.logs), 'gateway.out')
  const output = openSync(file, 'w', 0o600)
  const child = spawn(
    process.execPath,
    [...noDebugger(), join(cli.installRoot, 'host', 'bin', 'agent.mjs'), ...profileWords(cli), 'gateway', 'run'],
    {
      cwd: home.path,
      env: { ...allocatorEnvironment, ...cli.environment },
      detached: true,
      stdio: ['ignore', output, output],
    },
  )
  closeSync(output)
  let ended = false
  child.once('exit', () => (ended = true))
  const started = await waitFor(cli, startWithinMs, () => (ended ? null : findStarted(home)))
  child.unref()
  if (!started)
    throw fail('PLUGIN_FAILED', {
      plugin: 'The gateway',
      during: 'start',
      detail: ended ? `it ended early. ${lastWords(file)}` : `it was not ready within ${startWithinMs / 1000} s; ${file} has what it said`,
    })
  sayStarted(cli, home, started)
  await sayServed(cli, home, started)
}

/** What a program that ended had to say. */
function lastWords(file: string): string {
  const said = readFileSync(file, 'utf8').trim().split('\n').slice(-mostLastLines).join('\n')
  return said === '' ? 'It said nothing.' : `It said: ${showLines(said.replace(/^agent: /, ''))}`
}

function sayStarted(cli: Cli, home: Home, instance: InstanceRecord): void {
  cli.out(`The gateway runs (pid ${instance.pid}, ${describeDoor(home, instance)}).`)
}

/** Waits until the other profiles are served, where they are to be, and says so of each. */
async function sayServed(cli: Cli, home: Home, { serves }: InstanceRecord): Promise<void> {
  if (!serves) return
  const served = await waitFor(cli, startWithinMs, async () => {
    if (!findInstance(home)) return null
    const { profiles } = (await askGateway(home, 'status', null, { signal: cli.signal })) as GatewayStatus
    return profiles?.every(({ state }) => state !== 'opening') ? profiles : undefined
  })
  for (const each of served ?? []) cli.out(describeServed(each))
}

/** The gateway once a door is open, or every platform has had its time. */
function findStarted(home: Home): InstanceRecord | undefined {
  const instance = findInstance(home)
  if (!instance || instance.url) return instance
  return isReady(home, instance) ? instance : undefined
}

/** Stops the gateway on purpose: a service or a container does not start it again at its next boot. */
export async function stopGateway(cli: Cli): Promise<void> {
  const home = openHomeOf(cli)
  await endGateway(cli, home)
  noteStopped(home, systemClock)
  cli.out('The gateway stopped.')
}

/** Asks the gateway to stop and waits until it has. */
async function endGateway(cli: Cli, home: Home): Promise<void> {
  const running = findInstance(home)
  if (!running) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
  // The process is that of the default profile, and others are served by it.
  if (running.servedBy !== undefined) await askGateway(home, 'profile.leave', null, { signal: cli.signal })
  else process.kill(running.pid, 'SIGTERM')
  const gone = await waitFor(cli, stopWithinMs, () => (findInstance(home) ? undefined : true))
  if (!gone) throw fail('TIMED_OUT', { what: `Stopping the gateway (pid ${running.pid})`, ms: stopWithinMs })
}

export async function restartGateway(cli: Cli): Promise<void> {
  const home = openHomeOf(cli)
  if (findInstance(home)) {
    await requireStartable(cli)
    await endGateway(cli, home)
    cli.out('The gateway stopped.')
  }
  await startGateway(cli)
}

/** What the next gateway would refuse to start with is refused while the present one goes on. */
async function requireStartable(cli: Cli): Promise<void> {
  requireSound((await openCatalog(cli)).loaded)
}

function profileWords(cli: Cli): readonly string[] {
  return cli.profile ? ['-p', cli.profile] : []
}
