import type { Clock, Connection, Log, Platform, PlatformContext, WireError } from '@agent/plugin-sdk'
import { fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/call.ts'
import type { Contribution } from '#kernel/catalog.ts'
import type { Ledger } from '#kernel/ledger.ts'

export type LinkState = 'starting' | 'connected' | 'retrying' | 'fatal' | 'stopped'

export interface LinkStatus {
  readonly platform: string
  readonly state: LinkState
  /** Milliseconds since 1970. */
  readonly since: number
  readonly attempts: number
  readonly error?: WireError
}

export interface LinkOptions {
  readonly contribution: Contribution<'platform'>
  /** Imports the platform's entry. */
  readonly load: () => Promise<Platform>
  /** A fresh context with its own ledger for every attempt. */
  readonly openContext: (lost: PlatformContext['lost']) => Promise<{ context: PlatformContext; ledger: Ledger }>
  readonly onChange: (status: LinkStatus) => void
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** One platform that is kept connected. */
export interface Link {
  readonly contribution: Contribution<'platform'>
  status(): LinkStatus
  connection(): Connection | undefined
  /** Resolves when the first attempt is over, however it ended. */
  readonly settled: Promise<void>
  close(): Promise<void>
}

/** Waits between attempts, in milliseconds; the last one is repeated for ever. */
const ladder = [2000, 5000, 10_000, 30_000, 60_000] as const
/** A connection that lived this long starts again at the foot of the ladder. */
const healthyMs = 60_000
const connectDeadline = 30_000
const closeDeadline = 10_000

/** Failures that no waiting mends. */
const fatalCodes = new Set([
  'PLATFORM_AUTH',
  'BIND_UNSAFE',
  'PORT_IN_USE',
  'OFFLINE_MODEL',
  'ENV_MISSING',
  'ENV_INVALID',
  'PLUGIN_SHAPE',
  'PLUGIN_UNDECLARED',
  'PLUGIN_API_MISMATCH',
])

interface Live {
  readonly connection: Connection
  readonly ledger: Ledger
}

/** Connects and reconnects for ever, unless a failure is final. One platform's trouble never reaches another. */
export function openLink(options: LinkOptions): Link {
  const { contribution, clock, log } = options
  const stop = new AbortController()
  let status: LinkStatus = { platform: contribution.id, state: 'starting', since: clock.now(), attempts: 0 }
  let live: Live | undefined
  let settle: () => void = () => undefined
  const settled = new Promise<void>((resolve) => (settle = resolve))

  const change = (state: LinkState, more: { attempts: number; error?: WireError }): void => {
    status = { platform: contribution.id, state, since: clock.now(), ...more }
    if (more.error) log.warn(fromWireError(more.error).message, { platform: contribution.id, state })
    else log.info(`${contribution.id} is ${state}`, { platform: contribution.id, state })
    options.onChange(status)
  }

  const keepConnected = async (): Promise<void> => {
    for (let attempts = 1; !stop.signal.aborted; attempts++) {
      const startedAt = clock.now()
      const end = await connectOnce(options, stop.signal, (opened) => {
        live = opened
        change('connected', { attempts })
        settle()
      })
      live = undefined
      if (stop.signal.aborted) break
      const error = end.error
      if (!end.retryable) {
        change('fatal', { attempts, error })
        settle()
        return
      }
      if (clock.now() - startedAt > healthyMs) attempts = 1
      change('retrying', { attempts, error })
      settle()
      const wait = ladder[Math.min(attempts, ladder.length) - 1] ?? 60_000
      await clock.sleep(wait * (0.8 + 0.4 * options.random()), stop.signal).catch(() => undefined)
    }
    change('stopped', { attempts: status.attempts })
    settle()
  }
  const done = keepConnected()
  return {
    contribution,
    status: () => status,
    connection: () => live?.connection,
    settled,
    close: async () => {
      stop.abort()
      await done
    },
  }
}

interface End {
  readonly retryable: boolean
  readonly error: WireError
}

/** One life of a connection: from connecting until it is lost, refused or stopped. Everything it set up is undone. */
async function connectOnce(options: LinkOptions, stop: AbortSignal, onOpen: (live: Live) => void): Promise<End> {
  let report: (end: End) => void = () => undefined
  const lost = new Promise<End>((resolve) => (report = resolve))
  let ledger: Ledger | undefined
  let connection: Connection | undefined
  try {
    const platform = await options.load()
    const opened = await options.openContext(report)
    ledger = opened.ledger
    const within = { signal: stop, deadline: connectDeadline, what: `Connecting ${options.contribution.id}` }
    connection = await callWithin(within, (call) => platform.connect(opened.context, call))
    onOpen({ connection, ledger })
    return await Promise.race([lost, stopped(stop)])
  } catch (error) {
    const wire = toWireError(error)
    return { retryable: !fatalCodes.has(wire.code), error: wire }
  } finally {
    if (connection) await closeConnection(options, connection)
    await ledger?.dispose()
  }
}

async function closeConnection({ contribution, log }: LinkOptions, connection: Connection): Promise<void> {
  const { signal } = new AbortController()
  const within = { signal, deadline: closeDeadline, what: `Closing ${contribution.id}` }
  await callWithin(within, (call) => connection.close(call)).catch((error: unknown) => {
    log.warn('a connection did not close', { platform: contribution.id, error: String(error) })
  })
}

function stopped(signal: AbortSignal): Promise<End> {
  const end: End = { retryable: false, error: { code: 'INTERRUPTED', params: {} } }
  return new Promise((resolve) => {
    if (signal.aborted) resolve(end)
    signal.addEventListener('abort', () => resolve(end), { once: true })
  })
}
