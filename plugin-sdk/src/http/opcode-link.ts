import type { Clock } from '../contract/context.ts'
import { type AgentError, fail } from '../contract/errors.ts'
import { linkSignals, withTimeLimit } from '../contract/time-limit.ts'
import { parseJson } from './parse-json.ts'
import { openWebSocket, type TextSocket } from './web-socket.ts'

/** A message of a gateway: `d` is what it says, `s` and `t` number and name an event. */
export interface OpcodeFrame {
  readonly op: number
  readonly d?: unknown
  readonly s?: number | null
  readonly t?: string | null
}

/** How one connection to a gateway came to its end, and whether its session can go on with another. */
export interface OpcodeEnding {
  readonly error: AgentError
  readonly resumable: boolean
}

/** What one connection by numbered operations needs. */
export interface OpcodeLinkOptions {
  /** Named in errors. */
  readonly platform: string
  readonly clock: Clock
  readonly random: () => number
  /** Ends it. */
  readonly signal: AbortSignal
  /** Anything came. */
  readonly onHear: () => void
  readonly describeClose: (code: number, reason: string) => OpcodeEnding
}

interface Session {
  readonly url: string
  readonly sequence: () => number | null
  readonly onDispatch: (frame: OpcodeFrame) => void
}

/** One connection to a gateway, kept alive by heartbeats. */
export interface OpcodeLink extends Pick<TextSocket, 'pause' | 'resume'> {
  send(op: number, data: unknown): void
  /** 1000 ends the session; any other code leaves it to be resumed. */
  close(code: number): Promise<void>
  readonly ended: Promise<OpcodeEnding>
}

const helloMs = 30_000
const usualBeatMs = 41_250
/** Leaves the session to be resumed. */
export const comeBack = 4000

/** Resolves when the gateway has said hello. */
export async function openOpcodeLink(options: OpcodeLinkOptions, { url, sequence, onDispatch }: Session): Promise<OpcodeLink> {
  const { platform, clock, signal, onHear, describeClose } = options
  const over = linkSignals(signal)
  const greeting = createLater<void>()
  const ending = createLater<OpcodeEnding>()
  let socket: TextSocket | undefined
  const send = (op: number, d: unknown): void => socket?.send(JSON.stringify({ op, d }))
  const again = (detail: string, resumable = true): void => end({ error: fail('PLATFORM_LOST', { platform, detail }), resumable })
  const beat = createBeat(
    options,
    () => send(1, sequence()),
    () => again('a heartbeat was not acknowledged'),
  )
  const end = (last: OpcodeEnding): void => {
    over[Symbol.dispose]()
    beat.stop()
    ending.resolve(last)
    void socket?.close(comeBack)
  }
  const handlers: Readonly<Record<number, (frame: OpcodeFrame) => void>> = {
    0: onDispatch,
    1: () => send(1, sequence()),
    7: () => again('the gateway asked for another connection'),
    9: ({ d }) => again('the session is not valid any more', d === true),
    10: ({ d }) => {
      const { heartbeat_interval: ms } = (d ?? {}) as { heartbeat_interval?: unknown }
      beat.start(typeof ms === 'number' && ms > 0 ? ms : usualBeatMs)
      greeting.resolve()
    },
    11: beat.acknowledge,
  }
  const onText = (text: string): void => {
    const frame = parseFrame(text)
    if (frame) handlers[frame.op]?.(frame)
  }
  const onEnd = (code: number, reason: string): void => end(describeClose(code, reason))
  await withTimeLimit({ clock, signal: over.signal, ms: helloMs, what: 'the hello of the gateway' }, async (bound) => {
    bound.addEventListener('abort', () => over.abort(bound.reason), { once: true })
    socket = await openWebSocket({ url, platform, clock, signal: over.signal, onHear, onText, onEnd })
    const cut = ending.promise.then(({ error }) => Promise.reject(bound.aborted ? bound.reason : error))
    await Promise.race([greeting.promise, cut])
  })
  return createLink({ socket, send, beat, ended: ending.promise })
}

interface Beat {
  start(intervalMs: number): void
  stop(): void
  acknowledge(): void
  /** While nothing is read, nothing can be acknowledged. */
  halt(paused: boolean): void
}

function createLink(
  parts: { readonly beat: Beat; readonly socket: TextSocket | undefined } & Pick<OpcodeLink, 'send' | 'ended'>,
): OpcodeLink {
  const { beat, socket, send, ended } = parts
  return {
    send,
    ended,
    pause: () => {
      beat.halt(true)
      socket?.pause()
    },
    resume: () => {
      beat.halt(false)
      socket?.resume()
    },
    close: async (code) => {
      beat.stop()
      await socket?.close(code)
    },
  }
}

/** The heartbeat: each one has to be acknowledged before the next is due. */
function createBeat({ clock, random }: OpcodeLinkOptions, send: () => void, onSilence: () => void): Beat {
  const stopped = new AbortController()
  let [waits, paused] = [false, false]
  const run = async (intervalMs: number): Promise<void> => {
    // The first comes at a random time, so that not everybody who was cut off beats at once.
    for (let restMs = intervalMs * random(); ; restMs = intervalMs) {
      await clock.sleep(restMs, stopped.signal)
      if (waits && !paused) return onSilence()
      waits = true
      send()
    }
  }
  return {
    start: (intervalMs) => void run(intervalMs).catch(() => undefined),
    stop: () => stopped.abort(),
    acknowledge: () => {
      waits = false
    },
    halt: (value) => {
      paused = value
      waits = false
    },
  }
}

/** A promise and what resolves it. */
export function createLater<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function parseFrame(text: string): OpcodeFrame | undefined {
  const { op, d, s, t } = (parseJson(text) ?? {}) as Record<keyof OpcodeFrame, unknown>
  if (typeof op !== 'number') return undefined
  return { op, d, s: typeof s === 'number' ? s : null, t: typeof t === 'string' ? t : null }
}
