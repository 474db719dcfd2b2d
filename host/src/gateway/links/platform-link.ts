import {
  type Clock,
  type CompleteConnection,
  type Connection,
  type Log,
  linkSignals,
  type Platform,
  type PlatformContext,
  type WireError,
  withTimeLimit,
} from '@agent/plugin-sdk'
import { detailOf, fail, finalCodes, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { backoff } from '@agent/plugin-sdk/http'
import { callWithin, createCall } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Ledger } from '#kernel/ledger.ts'
import { boundConnection, createSendsUnderWay, type SendsUnderWay } from './bound-connection.ts'
import { createLinkRecord, type LinkRecord, type LinkStatus } from './link-status.ts'
import { watchReception } from './receive-watchdog.ts'

export interface LinkOptions {
  readonly contribution: Contribution<'platform'>
  /** Takes what only one connection may have; undone when the link rests. Rejects with CREDENTIAL_IN_USE. */
  readonly lock: () => Promise<() => void>
  /** Imports the platform's entry. */
  readonly load: () => Promise<Platform>
  /** A fresh context with its own ledger for every attempt. */
  readonly openContext: (lost: PlatformContext['lost']) => Promise<{ context: PlatformContext; ledger: Ledger }>
  /** Silence that is too long, in milliseconds. */
  readonly receiveTimeoutMs: number
  /** Rests until `resume`, without an attempt. */
  readonly paused?: boolean
  readonly onChange: (status: LinkStatus) => void
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** One platform that is kept connected. */
export interface Link {
  readonly contribution: Contribution<'platform'>
  status(): LinkStatus
  connection(): CompleteConnection | undefined
  /** Asks the connection when it last heard its platform, so that the status is of now. Never rejects. */
  hear(): Promise<void>
  /** Resolves when the first attempt is over, however it ended. */
  readonly settled: Promise<void>
  /** Resolves when nothing is being sent over it. */
  idle(): Promise<void>
  /** Ends the connection as a failure that nobody caught in the platform's code; it is made again. */
  breakOff(error: WireError): void
  /** Disconnects until `resume`. */
  pause(): Promise<void>
  /** Connects again what was paused or failed for good; what waits for its next attempt makes it now. */
  resume(): void
  close(): Promise<void>
}

/** Seconds between attempts; the last step is repeated for ever. */
const ladder = [2, 5, 10, 30, 60, 120, 300] as const
/** What was connected once is likely to come back soon, and people wait for it. */
const knownLadder = [2, 5, 10, 30, 60] as const
/** A connection that worked this long starts again at the foot of the ladder. */
const healthyMs = 60_000
const closeDeadline = 2_500

/** How one life of a connection ended. */
interface End {
  readonly retryable: boolean
  readonly error: WireError
  /** The watchdog ended it. */
  readonly silent?: boolean
}

interface Life {
  connection?: CompleteConnection
  readonly sends: SendsUnderWay
  end: (end: End) => void
  /** Ends the wait for the next attempt. */
  hurry: () => void
}

interface Supervised {
  readonly options: LinkOptions
  readonly record: LinkRecord
  readonly life: Life
  readonly settle: () => void
}

/** Connects and reconnects for ever, unless a failure is final. One platform's trouble never reaches another. */
export function openLink(options: LinkOptions): Link {
  const { contribution, clock, log } = options
  const record = createLinkRecord(contribution.id, clock.now, (status) => {
    const about = { platform: contribution.id, state: status.state, attempts: status.attempts }
    if (status.error) log[status.needsAttention ? 'error' : 'warn'](fromWireError(status.error).message, about)
    else log.info(`${contribution.id} is ${status.state}`, about)
    try {
      options.onChange(status)
    } catch (error) {
      log.error('the state of a platform could not be written', { ...about, error: String(error) })
    }
  })
  const sends = createSendsUnderWay()
  const life: Life = { end: () => undefined, hurry: () => undefined, sends }
  let settle: () => void = () => undefined
  const settled = new Promise<void>((resolve) => (settle = resolve))
  let stop = new AbortController()
  let done = options.paused ? Promise.resolve() : supervise({ options, record, life, settle }, stop.signal)
  let closed = false
  if (options.paused) {
    record.change('paused')
    settle()
  }

  const rest = async (state: 'paused' | 'disconnected'): Promise<void> => {
    stop.abort(fail('INTERRUPTED'))
    await done
    record.change(state)
  }
  return {
    contribution,
    status: record.status,
    connection: () => life.connection,
    hear: () => hearNow(options, life, record),
    settled,
    idle: sends.idle,
    breakOff: (error) => life.end({ retryable: true, error }),
    pause: () => rest('paused'),
    resume: () => {
      life.hurry()
      if (closed || !['paused', 'fatal'].includes(record.status().state)) return
      stop = new AbortController()
      record.change('starting', { attempts: 0 })
      done = supervise({ options, record, life, settle }, stop.signal)
    },
    close: async () => {
      closed = true
      await rest('disconnected')
    },
  }
}

const hearMs = 1000

async function hearNow({ contribution, clock }: LinkOptions, { connection }: Life, record: LinkRecord): Promise<void> {
  if (connection === undefined) return
  const limit = { clock, ms: hearMs, what: `Asking ${contribution.spec.label} when it was last heard` }
  // Somebody waits for the status, so nobody waits for late words.
  const said = await withTimeLimit(limit, (signal) => connection.lastHeard(createCall(signal, hearMs))).catch(() => Number.NaN)
  if (Number.isFinite(said)) record.hear(Math.min(said, clock.now()))
}

/** Runs until the signal fires or a failure is final. Never rejects. */
async function supervise(supervised: Supervised, signal: AbortSignal): Promise<void> {
  const { options, record, settle } = supervised
  let unlock: () => void
  try {
    unlock = await options.lock()
  } catch (error) {
    record.change('fatal', { attempts: 1, error: toWireError(error) })
    return settle()
  }
  try {
    await keepConnected(supervised, signal)
  } finally {
    unlock()
    settle()
  }
}

async function keepConnected(supervised: Supervised, signal: AbortSignal): Promise<void> {
  const { options, record, settle } = supervised
  let known = false
  for (let attempts = 1; !signal.aborted; attempts++) {
    const lived = await liveOnce(supervised, attempts, signal)
    const { end, healthy } = lived
    known ||= isKnown(lived)
    if (signal.aborted) return
    if (!end.retryable) return record.change('fatal', { attempts, error: end.error })
    if (healthy) {
      record.recover()
      attempts = 1
    }
    // What was well until it went silent is connected again at once.
    if (healthy && end.silent) attempts = 0
    else {
      record.change('retrying', { attempts, error: end.error })
      settle()
      await waitForNext(supervised, backoff(attempts - 1, options.random, stepsAfter(end, known)), signal)
    }
  }
}

function stepsAfter({ error }: End, known: boolean): readonly number[] {
  const steps = known ? knownLadder : ladder
  // The plugin itself failed: no service is run over by it, so the pause before its code may run again is enough at first.
  return error.code === 'PLUGIN_FAILED' ? [1, ...steps] : steps
}

async function waitForNext({ options, life }: Supervised, ms: number, signal: AbortSignal): Promise<void> {
  using wait = linkSignals(signal)
  life.hurry = () => wait.abort('hurried')
  await options.clock.sleep(ms, wait.signal).catch(() => undefined)
  life.hurry = () => undefined
}

/** Whether a service is likely to come back soon. One that nothing was ever heard of is not. */
function isKnown({ connected, healthy, end }: Lived): boolean {
  return connected && (healthy || !end.silent)
}

interface Lived {
  readonly end: End
  readonly connected: boolean
  /** It worked for a while. */
  readonly healthy: boolean
}

/** One life of a connection: from connecting until it is lost, refused, silent or stopped. Everything it set up is undone. */
async function liveOnce(supervised: Supervised, attempts: number, signal: AbortSignal): Promise<Lived> {
  const { options, record, life, settle } = supervised
  const { clock } = options
  using over = linkSignals(signal)
  let told: End | undefined
  life.end = (end) => {
    told ??= end
    over.abort(fromWireError(end.error))
  }
  let opened: Opened | undefined
  let openedAt = Number.POSITIVE_INFINITY
  let end: End
  try {
    opened = await openConnection(options, life.end, over.signal)
    openedAt = clock.now()
    life.connection = boundConnection(opened.connection, options.contribution.spec, clock, life.sends)
    record.change('connected', { attempts })
    settle()
    end = await waitForSilence(supervised, opened.connection, over.signal)
  } catch (error) {
    const wire = toWireError(error)
    end = told ?? { retryable: !finalCodes.has(wire.code), error: wire }
  }
  life.end = () => undefined
  delete life.connection
  const workedUntil = end.silent ? (record.status().lastHeard ?? 0) : clock.now()
  await opened?.close()
  return { end, connected: opened !== undefined, healthy: workedUntil - openedAt >= healthyMs }
}

/** Resolves when the platform has been silent for too long; rejects when the connection ends otherwise. */
async function waitForSilence({ options, record }: Supervised, connection: Connection, signal: AbortSignal): Promise<End> {
  const { contribution, clock, receiveTimeoutMs } = options
  const platform = contribution.spec.label
  const timeoutMs = contribution.spec.reception === 'continuous' ? receiveTimeoutMs : Number.POSITIVE_INFINITY
  const silentMs = await watchReception({ connection, platform, timeoutMs, clock, signal, onHeard: record.hear })
  const error = toWireError(fail('PLATFORM_SILENT', { platform, seconds: Math.round(silentMs / 1000) }))
  record.countSilence()
  record.change('degraded', { error })
  return { retryable: true, error, silent: true }
}

interface Opened {
  readonly connection: Connection
  close(): Promise<void>
}

/** Leaves nothing behind when it fails, not even a connection that came too late. */
async function openConnection(options: LinkOptions, lost: PlatformContext['lost'], signal: AbortSignal): Promise<Opened> {
  const { contribution, clock } = options
  const platform = await options.load()
  const { context, ledger } = await options.openContext(lost)
  try {
    const bounds = { clock, signal, deadline: contribution.spec.connectTimeoutMs, what: `Connecting ${contribution.spec.label}` }
    const onLate = (late: Connection): void => void closeConnection(options, late)
    const connection = await callWithin(bounds, async (call) => platform.connect(context, call), onLate).catch((error: unknown) => {
      throw blamePlugin(options, error)
    })
    return {
      connection,
      close: async () => {
        await closeConnection(options, connection)
        await ledger.dispose()
      },
    }
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}

/** What has no code is a mistake in the plugin and no trouble of its service; its stack is for the author. */
function blamePlugin({ contribution, log }: LinkOptions, error: unknown): unknown {
  if (isAgentError(error) && error.code !== 'INTERNAL') return error
  const plugin = contribution.plugin.manifest.id
  const detail = isAgentError(error) ? String(error.params.detail) : detailOf(error)
  const stack = isAgentError(error) || !(error instanceof Error) ? undefined : error.stack
  if (stack !== undefined) log.error('a plugin failed with an error that has no code', { plugin, stack })
  return fail('PLUGIN_FAILED', { plugin, during: 'connect', detail }, { cause: error })
}

async function closeConnection({ contribution, clock, log }: LinkOptions, connection: Connection): Promise<void> {
  const bounds = { clock, deadline: closeDeadline, what: `Closing ${contribution.spec.label}` }
  await callWithin(bounds, (call) => connection.close(call)).catch((error: unknown) => {
    log.warn('a connection did not close', { platform: contribution.id, error: String(error) })
  })
}
