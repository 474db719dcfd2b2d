import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openWebSocket, runWithin, type TextSocket } from '@agent/plugin-sdk/http'
import { platform } from './api.ts'
import { type Frame, parseFrame, readHello } from './wire.ts'

/** How one WebSocket to the gateway came to its end. */
export type Ending =
  | { readonly type: 'closed'; readonly code: number; readonly reason: string }
  /** Discord asks for another connection. */
  | { readonly type: 'reconnect' }
  /** The session was refused or ended. */
  | { readonly type: 'invalid'; readonly resumable: boolean }
  /** A heartbeat was not acknowledged: the connection is cut and nobody said so. */
  | { readonly type: 'silent' }

export interface LinkOptions {
  readonly url: string
  readonly clock: Clock
  readonly random: () => number
  /** Ends it. */
  readonly signal: AbortSignal
  readonly sequence: () => number | null
  readonly onHear: () => void
  readonly onDispatch: (frame: Frame) => void
}

/** One WebSocket to the gateway, kept alive by heartbeats. */
export interface Link {
  send(op: number, data: unknown): void
  pause(): void
  resume(): void
  /** 1000 ends the session; any other code leaves it to be resumed. */
  close(code: number): Promise<void>
  readonly ended: Promise<Ending>
}

/** Longest wait for the first word of the gateway. */
export const helloMs = 30_000
/** Leaves the session to be resumed. */
const comeBack = 4000

const ops = { heartbeat: 1, reconnect: 7, invalid: 9, hello: 10, acknowledged: 11 } as const

/** Resolves when the gateway has said hello. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { url, clock, signal, onHear } = options
  const over = new AbortController()
  const giveUp = (): void => over.abort(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  let socket: TextSocket | undefined
  let tellEnding: (ending: Ending) => void = () => undefined
  const ended = new Promise<Ending>((resolve) => {
    tellEnding = resolve
  })
  const end = (ending: Ending): void => {
    signal.removeEventListener('abort', giveUp)
    tellEnding(ending)
    if (ending.type !== 'closed') void socket?.close(comeBack)
    beat.stop()
  }
  const beat = createBeat({ ...options, send: (op, data) => send(op, data), onSilence: () => end({ type: 'silent' }) })
  const send = (op: number, data: unknown): void => socket?.send(JSON.stringify({ op, d: data }))
  let greeted: () => void = () => undefined
  const greeting = new Promise<void>((resolve) => {
    greeted = resolve
  })
  const onFrame = (frame: Frame): void => {
    if (frame.op === 0) options.onDispatch(frame)
    else if (frame.op === ops.acknowledged) beat.acknowledge()
    else if (frame.op === ops.heartbeat) beat.now()
    else if (frame.op === ops.reconnect) end({ type: 'reconnect' })
    else if (frame.op === ops.invalid) end({ type: 'invalid', resumable: frame.d === true })
    else if (frame.op === ops.hello) {
      beat.start(readHello(frame.d)?.heartbeat_interval ?? 41_250)
      greeted()
    }
  }
  await runWithin({ clock, signal: over.signal, ms: helloMs, what: 'the hello of the gateway' }, async (bound) => {
    bound.addEventListener('abort', () => over.abort(bound.reason), { once: true })
    const onText = (text: string): void => {
      const frame = parseFrame(text)
      if (frame) onFrame(frame)
    }
    const onEnd = (code: number, reason: string): void => end({ type: 'closed', code, reason })
    socket = await openWebSocket({ url, platform, clock, signal: over.signal, onHear, onText, onEnd })
    const cut = ended.then((ending) => Promise.reject(describeStart(ending, bound)))
    await Promise.race([greeting, cut])
  })
  return {
    send,
    pause: () => {
      beat.pause()
      socket?.pause()
    },
    resume: () => {
      beat.resume()
      socket?.resume()
    },
    close: async (code) => {
      beat.stop()
      await socket?.close(code)
    },
    ended,
  }
}

function describeStart(ending: Ending, bound: AbortSignal): unknown {
  if (bound.aborted) return bound.reason
  const detail = ending.type === 'closed' ? `the gateway closed with ${ending.code}` : 'the gateway did not begin'
  return fail('PLATFORM_UNREACHABLE', { platform, detail })
}

interface BeatOptions extends Pick<LinkOptions, 'clock' | 'random' | 'sequence'> {
  readonly send: (op: number, data: unknown) => void
  readonly onSilence: () => void
}

/** The heartbeat: each one has to be acknowledged before the next is due. */
function createBeat({ clock, random, sequence, send, onSilence }: BeatOptions): {
  start(intervalMs: number): void
  stop(): void
  now(): void
  acknowledge(): void
  pause(): void
  resume(): void
} {
  const stopped = new AbortController()
  let waits = false
  let paused = false
  const now = (): void => send(ops.heartbeat, sequence())
  const run = async (intervalMs: number): Promise<void> => {
    // The first comes at a random time, so that not everybody who was cut off beats at once.
    let restMs = intervalMs * random()
    while (!stopped.signal.aborted) {
      await clock.sleep(restMs, stopped.signal).catch(() => undefined)
      if (stopped.signal.aborted) return
      // What is not read cannot be heard.
      if (waits && !paused) return onSilence()
      waits = true
      now()
      restMs = intervalMs
    }
  }
  return {
    now,
    start: (intervalMs) => void run(intervalMs),
    stop: () => stopped.abort(),
    acknowledge: () => {
      waits = false
    },
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      waits = false
    },
  }
}
