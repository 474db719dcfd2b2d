import type { Clock } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { openWebSocket, runWithin, type TextSocket } from '@agent/plugin-sdk/http'
import { platform, refuseToken } from './api.ts'
import { type Frame, parseFrame, read, wire } from './wire.ts'

/** How one WebSocket to the gateway came to its end, and whether its session can go on with another. */
export interface Ending {
  readonly error: AgentError
  readonly resumable: boolean
}

export interface LinkOptions {
  readonly clock: Clock
  readonly random: () => number
  /** Ends it. */
  readonly signal: AbortSignal
  readonly onHear: () => void
}

interface Session {
  readonly url: string
  readonly sequence: () => number | null
  readonly onDispatch: (frame: Frame) => void
}

/** One WebSocket to the gateway, kept alive by heartbeats. */
export interface Link extends Pick<TextSocket, 'pause' | 'resume'> {
  send(op: number, data: unknown): void
  /** 1000 ends the session; any other code leaves it to be resumed. */
  close(code: number): Promise<void>
  readonly ended: Promise<Ending>
}

const helloMs = 30_000
/** Leaves the session to be resumed. */
const comeBack = 4000

/** Resolves when the gateway has said hello. */
export async function openLink({ clock, random, signal, onHear }: LinkOptions, { url, sequence, onDispatch }: Session): Promise<Link> {
  const over = new AbortController()
  const giveUp = (): void => over.abort(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  const greeting = createLater<void>()
  const ending = createLater<Ending>()
  const silence = new AbortController()
  let socket: TextSocket | undefined
  let [waits, paused] = [false, false]
  const send = (op: number, d: unknown): void => socket?.send(JSON.stringify({ op, d }))
  const end = (last: Ending): void => {
    signal.removeEventListener('abort', giveUp)
    silence.abort()
    ending.resolve(last)
    void socket?.close(comeBack)
  }
  const again = (detail: string, resumable = true): void => end({ error: fail('PLATFORM_LOST', { platform, detail }), resumable })
  const beat = async (intervalMs: number): Promise<void> => {
    // The first comes at a random time, so that not everybody who was cut off beats at once.
    for (let restMs = intervalMs * random(); ; restMs = intervalMs) {
      await clock.sleep(restMs, silence.signal)
      // What is not read cannot be heard.
      if (waits && !paused) return again('a heartbeat was not acknowledged')
      waits = true
      send(1, sequence())
    }
  }
  const handlers: Readonly<Record<number, (frame: Frame) => void>> = {
    0: onDispatch,
    1: () => send(1, sequence()),
    7: () => again('the gateway asked for another connection'),
    9: ({ d }) => again('the session is not valid any more', d === true),
    10: ({ d }) => {
      beat(read(wire.hello, d)?.heartbeat_interval ?? 41_250).catch(() => undefined)
      greeting.resolve()
    },
    11: () => {
      waits = false
    },
  }
  const onText = (text: string): void => {
    const frame = parseFrame(text)
    if (frame) handlers[frame.op]?.(frame)
  }
  const onEnd = (code: number, reason: string): void => end(describeClose(code, reason))
  await runWithin({ clock, signal: over.signal, ms: helloMs, what: 'the hello of the gateway' }, async (bound) => {
    bound.addEventListener('abort', () => over.abort(bound.reason), { once: true })
    socket = await openWebSocket({ url, platform, clock, signal: over.signal, onHear, onText, onEnd })
    const cut = ending.promise.then(({ error }) => Promise.reject(bound.aborted ? bound.reason : error))
    await Promise.race([greeting.promise, cut])
  })
  const halt = (value: boolean): void => {
    paused = value
    waits = false
    if (value) socket?.pause()
    else socket?.resume()
  }
  const close = async (code: number): Promise<void> => {
    silence.abort()
    await socket?.close(code)
  }
  return { send, pause: () => halt(true), resume: () => halt(false), close, ended: ending.promise }
}

/** A promise and what resolves it. */
export function createLater<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** The session is over after these: a wrong sequence, and too long a silence. */
const sessionOver = new Set([4007, 4009])

/** Close codes that no new connection mends, with what has to be done. */
const final: Readonly<Record<number, string>> = {
  4010: 'the gateway does not take the shard (4010)',
  4011: 'the bot is in too many servers for one connection (4011)',
  4012: 'the gateway does not speak version 10 (4012)',
  4013: 'the gateway does not know the intents (4013)',
  4014: 'the Message Content Intent is off; switch it on under Bot, Privileged Gateway Intents, at https://discord.com/developers/applications',
}

function describeClose(code: number, reason: string): Ending {
  if (code === 4004) return { error: refuseToken('the gateway does not know the token'), resumable: false }
  const why = final[code]
  if (why !== undefined) return { error: fail('PLATFORM_AUTH', { platform, detail: why }), resumable: false }
  const detail = `the gateway closed with ${code}${reason === '' ? '' : `: ${reason}`}`
  return { error: fail('PLATFORM_LOST', { platform, detail }), resumable: !sessionOver.has(code) }
}
