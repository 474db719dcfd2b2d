import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/atomic-file.ts'
import type { Home } from '#config/home.ts'
import type { LinkStatus } from './platform-link.ts'

/** Who runs the gateway of a home; the content of `gateway.pid`. */
export interface InstanceRecord {
  readonly pid: number
  /** Start of the process as the kernel counts it, so that a reused pid is not mistaken; empty where it cannot be read. */
  readonly started: string
  readonly boot: string
  readonly url: string
}

/** What `gateway_state.json` says; it outlives the process, so that a gateway that was stopped stays stopped. */
export interface GatewayState {
  readonly gateway_state: 'running' | 'stopped'
  readonly pid: number | null
  readonly url: string
  readonly updated_at: number
  readonly platforms: readonly LinkStatus[]
}

export interface Instance {
  /** Writes down what the gateway does now. */
  write(state: { url: string; platforms: readonly LinkStatus[] }): void
  /** Leaves the home to the next gateway. */
  close(): void
}

/** The gateway that runs for this home now, if one does. */
export function findInstance(home: Home): InstanceRecord | undefined {
  const record = readJson<InstanceRecord>(home.files.gatewayPid)
  return record && isAlive(record) ? record : undefined
}

export function readGatewayState(home: Home): GatewayState | undefined {
  return readJson<GatewayState>(home.files.gatewayState)
}

/** Takes the home for this process; rejects with GATEWAY_RUNNING while another gateway has it. */
export function openInstance(home: Home, boot: string, clock: Clock): Instance {
  const running = findInstance(home)
  if (running) throw alreadyRunning(home, running)
  const record: InstanceRecord = { pid: process.pid, started: startOf(process.pid), boot, url: '' }
  rmSync(home.files.gatewayPid, { force: true })
  claimFile(home, record)
  const store = (state: GatewayState): void => replaceFile(home.files.gatewayState, state)
  return {
    write: ({ url, platforms }) => {
      replaceFile(home.files.gatewayPid, { ...record, url })
      store({ gateway_state: 'running', pid: process.pid, url, updated_at: clock.now(), platforms })
    },
    close: () => {
      store({ gateway_state: 'stopped', pid: null, url: '', updated_at: clock.now(), platforms: [] })
      if (findInstance(home)?.boot === boot) rmSync(home.files.gatewayPid, { force: true })
    },
  }
}

/** Creating the file fails when another process was quicker. */
function claimFile(home: Home, record: InstanceRecord): void {
  try {
    const file = openSync(home.files.gatewayPid, 'wx', 0o600)
    writeSync(file, JSON.stringify(record))
    closeSync(file)
  } catch (error) {
    const winner = findInstance(home)
    throw winner ? alreadyRunning(home, winner) : error
  }
}

function alreadyRunning(home: Home, { pid, url }: InstanceRecord): Error {
  return fail('GATEWAY_RUNNING', { pid, home: home.path, url: url || 'still starting' })
}

function isAlive({ pid, started }: InstanceRecord): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === '' || startOf(pid) === started
}

/** Field 22 of /proc/<pid>/stat: clock ticks between the machine's boot and the start of the process. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // Not Linux, or the process is gone: the pid alone has to do.
    return ''
  }
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    // Missing or half-written by a crash: nothing is known.
    return undefined
  }
}

function replaceFile(file: string, content: unknown): void {
  writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`)
}
