import type { Clock } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Life, openWebSocket, type TextSocket } from '@agent/plugin-sdk/http'
import { platform, tokenHint } from './api.ts'
import type { Settings } from './settings.ts'
import { type Frame, parseFrame } from './wire.ts'

export interface EventsOptions {
  readonly settings: Pick<Settings, 'apiUrl' | 'token'>
  readonly clock: Clock
  readonly life: Life
  readonly onEvent: (name: string, data: unknown) => void
  /** The server has counted events that did not arrive. */
  readonly onGap: () => void
}

export interface Events {
  pause(): void
  resume(): void
  close(): Promise<void>
}

const startMs = 30_000
const pingMs = 30_000

/** Resolves when the server takes the token and will tell everything from now on. */
export async function openEvents({ settings, clock, life, onEvent, onGap }: EventsOptions): Promise<Events> {
  const { apiUrl, token } = settings
  let next: number | undefined
  let settle: (frame: Frame) => void = () => undefined
  let refuse: (error: unknown) => void = () => undefined
  const answered = new Promise<Frame>((resolve, reject) => {
    settle = resolve
    refuse = reject
  })
  // The code below waits for it; nobody does when the socket cannot be opened.
  answered.catch(() => undefined)
  const onFrame = (frame: Frame): void => {
    if (frame.seq_reply === 1) settle(frame)
    if (frame.event === undefined) return
    if (next !== undefined && frame.seq !== undefined && frame.seq !== next) onGap()
    if (frame.seq !== undefined) next = frame.seq + 1
    onEvent(frame.event, frame.data)
  }
  const socket = await withTimeLimit({ clock, signal: life.signal, ms: startMs, what: 'the begin of the events' }, async (bound) => {
    bound.addEventListener('abort', () => refuse(bound.reason), { once: true })
    const opening = openWebSocket({
      url: `${apiUrl.replace(/^http/, 'ws')}/websocket`,
      platform,
      clock,
      signal: life.signal,
      pingMs,
      onHear: life.hear,
      onText: (text) => {
        const frame = parseFrame(text)
        if (frame) onFrame(frame)
      },
      onEnd: (code) => {
        const error = fail('PLATFORM_LOST', { platform, detail: `the server closed the events with ${code}` })
        refuse(error)
        life.end(error)
      },
    })
    const opened: TextSocket = await Promise.race([opening, answered.then(() => opening)])
    opened.send(JSON.stringify({ seq: 1, action: 'authentication_challenge', data: { token } }))
    const { status, error } = await answered
    if (status !== 'OK') throw fail('PLATFORM_AUTH', { platform, detail: `${error?.message ?? 'the token is not taken'}; ${tokenHint}` })
    return opened
  })
  return socketEvents(socket)
}

function socketEvents({ pause, resume, close }: TextSocket): Events {
  return { pause, resume, close: () => close() }
}
