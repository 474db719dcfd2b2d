import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { withTimeLimit } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { type Cli, startAgain } from '../console/cli.ts'
import { programFile } from '../console/own-command.ts'

export interface StartedDashboard extends AsyncDisposable {
  /** Where it is; undefined where it did not start. */
  url(): Promise<string | undefined>
}

type Starter = Pick<Cli, 'installRoot' | 'environment' | 'profile' | 'signal'>

const readyWithinMs = 15_000

/** Starts the dashboard beside the gateway, as a process that ends with it; one that asks to be started again is, at the same port. */
export function startDashboard(cli: Starter): StartedDashboard {
  let isClosed = false
  let child: ChildProcess
  const start = (port: string): Promise<string | undefined> => {
    child = spawnDashboard(cli, port)
    const told = waitForUrl(child, cli.signal)
    child.once('exit', (code) => {
      if (code === startAgain && !isClosed && !cli.signal.aborted) void told.then((url = '') => start(portOf(url))).catch(() => undefined)
    })
    return told
  }
  const told = start('')
  return {
    url: () => told,
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (child.connected) child.disconnect()
    },
  }
}

const portOf = (url: string): string => (URL.canParse(url) ? new URL(url).port : '')

function spawnDashboard(cli: Starter, port: string): ChildProcess {
  const profile = cli.profile === undefined ? [] : ['-p', cli.profile]
  const flags = ['--no-open', '--from-start', ...(port === '' ? [] : ['--port', port])]
  const child = spawn(process.execPath, [...noDebugger(), programFile(cli), ...profile, 'dashboard', ...flags], {
    env: { ...cli.environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.once('error', () => undefined)
  child.unref()
  return child
}

async function waitForUrl(child: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
  const hear = async (within: AbortSignal): Promise<unknown> => {
    const heard = once(child, 'message', { signal: within }).then(([message]) => message as unknown)
    const ended = once(child, 'exit', { signal: within }).then(() => undefined)
    return Promise.race([heard, ended])
  }
  try {
    const message = await withTimeLimit({ clock: systemClock, signal, ms: readyWithinMs, what: 'The start of the dashboard' }, hear)
    const url = (message as { readonly dashboard?: unknown } | undefined)?.dashboard
    return typeof url === 'string' ? url : undefined
  } catch (error) {
    if (isAgentError(error) || signal.aborted) return undefined
    throw error
  } finally {
    // It is heard no more, and does not keep the gateway alive.
    child.channel?.unref()
  }
}
