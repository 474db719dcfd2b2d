import { existsSync, rmSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { replaceFileLater, writeFileAtomic } from '#config/home/atomic-file.ts'
import type { Home } from '#config/home/home.ts'
import { readText } from '#kernel/read-text.ts'
import type { LinkStatus } from '../links/link-status.ts'
import { identifyProcess, isAlive, type ProcessIdentity } from '../process/process-identity.ts'
import { takeLock } from '../process/process-lock.ts'
import { controlPath } from './control-path.ts'
import type { QueueCounts } from './queue-counts.ts'

/** What a gateway has to do with those of other profiles in its process. */
export interface InstanceMark {
  /** The profile whose gateway serves this one. */
  readonly servedBy?: string
  /** It serves the other profiles. */
  readonly serves?: true
}

/** Who runs the gateway of a home; the content of `gateway.pid`. */
export interface InstanceRecord extends ProcessIdentity, InstanceMark {
  readonly boot: string
  readonly url: string
  /** Where it can be asked; absent in what an older version wrote. */
  readonly control?: string
}

/** What `gateway_state.json` says. */
export interface GatewayState {
  /** What is wanted: it outlives the process, so that a gateway that was stopped on purpose stays stopped at the next boot. */
  readonly gateway_state: 'running' | 'stopped'
  /** Null while none runs. */
  readonly pid: number | null
  readonly url: string
  /** Every platform has had its first attempt, or enough time for it. */
  readonly ready: boolean
  readonly updated_at: number
  readonly platforms: readonly LinkStatus[]
  /** Counted every minute. */
  readonly queues: readonly QueueCounts[]
}

export interface Instance {
  /** Writes down what the gateway does now; of several at once only the last. Resolves when it is on the disk, rejects with HOME_UNUSABLE or STORE_FULL. */
  write(state: Pick<GatewayState, 'url' | 'ready' | 'platforms' | 'queues'>): Promise<void>
  /** Leaves the home to the next gateway. */
  close(): Promise<void>
}

/** The gateway that runs for this home now, if one does. */
export function findInstance(home: Home): InstanceRecord | undefined {
  const record = readJson<InstanceRecord>(home.files.gatewayPid)
  return record && isAlive(record) ? record : undefined
}

export function readGatewayState(home: Home): GatewayState | undefined {
  return readJson<GatewayState>(home.files.gatewayState)
}

/** Whether every platform of a running gateway has had its first attempt, or enough time for it. */
export function isReady(home: Home, { pid }: InstanceRecord): boolean {
  const state = readGatewayState(home)
  return state?.pid === pid && state.ready
}

/** Where a running gateway listens, or why nothing stands there. */
export function describeDoor(home: Home, instance: InstanceRecord): string {
  return instance.url || (isReady(home, instance) ? 'no HTTP door is open' : 'still starting')
}

/** Notes that the gateway was stopped on purpose. */
export function noteStopped(home: Home, clock: Clock): void {
  writeIdle(home, 'stopped', clock)
}

/** Notes that a gateway which a service starts is wanted. */
export function noteWanted(home: Home, clock: Clock): void {
  writeIdle(home, 'running', clock)
}

/** Whether a gateway that a service or a container starts shall run. The first boot asks `seed`, and only the word `running` counts. */
export function isWanted(home: Home, seed: string | undefined, clock: Clock): boolean {
  if (existsSync(home.files.gatewayState)) return readGatewayState(home)?.gateway_state === 'running'
  if (seed !== 'running') return false
  writeIdle(home, 'running', clock)
  return true
}

function writeIdle(home: Home, state: GatewayState['gateway_state'], clock: Clock): void {
  const idle: GatewayState = { gateway_state: state, pid: null, url: '', ready: false, updated_at: clock.now(), platforms: [], queues: [] }
  writeFileAtomic(home.files.gatewayState, formatFile(idle))
}

/** Takes the home for this process; rejects with GATEWAY_RUNNING while another gateway has it. */
export function openInstance(home: Home, boot: string, clock: Clock, mark: InstanceMark = {}): Instance {
  const record: InstanceRecord = { ...identifyProcess(process.pid), boot, url: '', control: controlPath(home.path), ...mark }
  takeLock(home.files.gatewayPid, record, (holder) => alreadyRunning(home, holder))
  // One that was frozen may find that another one, which could not see it, has taken the home.
  const isTaken = (): boolean => (findInstance(home)?.boot ?? boot) !== boot
  let closed = false
  let { url } = record
  let next: GatewayState | undefined
  let writing: Promise<void> | undefined
  // Parts that still count or report while the gateway leaves must not bring it back.
  const isOurs = (): boolean => !closed && !isTaken()
  const writeNext = async (): Promise<void> => {
    try {
      while (next) {
        const text = formatFile(next)
        next = undefined
        await replaceFileLater(home.files.gatewayState, text, isOurs)
      }
    } finally {
      writing = undefined
    }
  }
  return {
    async write(now) {
      if (!isOurs()) return
      if (now.url !== url) writeFileAtomic(home.files.gatewayPid, formatFile({ ...record, url: now.url }), { mayBeLost: true })
      url = now.url
      next = { gateway_state: 'running', pid: process.pid, updated_at: clock.now(), ...now }
      writing ??= writeNext()
      await writing
    },
    async close() {
      closed = true
      await writing?.catch(() => undefined)
      if (isTaken()) return
      // A machine that shuts down ends it too: only who stops it on purpose says that it shall stay stopped.
      try {
        writeIdle(home, 'running', clock)
      } finally {
        // The process may go on without it, and would be taken for its gateway.
        rmSync(home.files.gatewayPid, { force: true })
      }
    },
  }
}

/** What a second gateway of a home is refused with. */
export function alreadyRunning(home: Home, instance: InstanceRecord): Error {
  const served = instance.servedBy === undefined ? {} : { served: home.profile }
  return fail('GATEWAY_RUNNING', { pid: instance.pid, home: home.path, url: describeDoor(home, instance), ...served })
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readText(file, { mostBytes: 1024 * 1024 }) ?? '') as T
  } catch {
    // Missing or half-written by a crash: nothing is known.
    return undefined
  }
}

const formatFile = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`
