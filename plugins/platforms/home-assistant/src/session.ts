import type { Clock } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { openWebSocket, type TextSocket } from '@agent/plugin-sdk/http'
import { platform } from './api.ts'
import { saidEvent } from './inbound.ts'
import type { Settings } from './settings.ts'
import { type Frame, type HomeEvent, parseFrames, parseUser, type User } from './wire.ts'

export interface SessionOptions {
  readonly settings: Settings
  readonly clock: Clock
  /** Ends it, while it opens and later. */
  readonly signal: AbortSignal
  readonly onHear: () => void
  readonly onEvent: (event: HomeEvent) => void
  /** The connection broke: `signal` has to fire. */
  readonly onEnd: (error: AgentError) => void
}

export interface Session {
  readonly socket: TextSocket
  readonly user: User
  /** Whether automations may talk to us; only an administrator can listen to them. */
  readonly hearsAutomations: boolean
}

/** Below the shortest silence after which a gateway may replace a connection. */
const pingMs = 20_000

type Result = Extract<Frame, { type: 'result' }>
type Greeting = Exclude<Frame, { type: 'result' | 'event' }>

/** Logs in, asks who we are and has events sent. They come in from then on. */
export async function openSession({ settings, clock, signal, onHear, onEvent, onEnd }: SessionOptions): Promise<Session> {
  const greetings = createMailbox<Greeting>(signal)
  const results = createMailbox<Result>(signal)
  const onText = (text: string): void => {
    for (const frame of parseFrames(text)) {
      if (frame.type === 'event') onEvent(frame.event)
      else if (frame.type === 'result') results.put(frame)
      else greetings.put(frame)
    }
  }
  const socket = await openWebSocket({
    url: `${settings.url.replace(/^http/, 'ws')}/api/websocket`,
    ...{ platform, clock, signal, pingMs, onHear, onText },
    onEnd: (code) => onEnd(fail('PLATFORM_LOST', { platform, detail: `the connection was closed (${code})` })),
  })
  let last = 0
  /** One question at a time. */
  const ask = async (type: string, more: object = {}): Promise<Result> => {
    last += 1
    socket.send(JSON.stringify({ id: last, type, ...more }))
    return await results.take()
  }
  try {
    await greetings.take()
    socket.send(JSON.stringify({ type: 'auth', access_token: settings.token }))
    const { type } = await greetings.take()
    if (type !== 'auth_ok') throw fail('PLATFORM_AUTH', { platform, detail: 'the token is not valid' })
    const user = parseUser((await ask('auth/current_user')).result)
    if (!user) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'it does not say who the token belongs to' })
    const states = await ask('subscribe_events', { event_type: 'state_changed' })
    if (!states.success) throw fail('PLATFORM_AUTH', { platform, detail: states.error?.message ?? 'it sends no events' })
    const automations = await ask('subscribe_events', { event_type: saidEvent })
    return { socket, user, hearsAutomations: automations.success }
  } catch (error) {
    await socket.close()
    throw error
  }
}

interface Mailbox<T> {
  put(item: T): void
  /** The next item; rejects with the end of the connection. */
  take(): Promise<T>
}

function createMailbox<T>(signal: AbortSignal): Mailbox<T> {
  const items: T[] = []
  let wake = (): void => undefined
  return {
    put: (item) => {
      items.push(item)
      wake()
    },
    take: async () => {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      signal.addEventListener('abort', wake, { once: true })
      if (items.length === 0 && !signal.aborted) await woken
      signal.removeEventListener('abort', wake)
      const [item] = items.splice(0, 1)
      if (item !== undefined) return item
      throw signal.reason
    },
  }
}
