import { type AgentError, isAgentError } from '@agent/plugin-sdk/errors'
import { backoff, runWithin, type TextSocket } from '@agent/plugin-sdk/http'
import { unreachable } from './api.ts'
import { createLater, type Ending, type Link, type LinkOptions, openLink } from './link.ts'
import { type Ready, read, wire } from './wire.ts'

export interface SessionOptions extends LinkOptions {
  readonly url: string
  readonly token: string
  /** An event, in order; READY is the first. */
  readonly onEvent: (name: string, data: unknown) => void
  /** Nothing more comes of this session. */
  readonly onEnd: (error: AgentError) => void
}

/** A session with the gateway. It outlives its connections: what is missed while one is replaced comes afterwards. */
export interface Session extends Pick<TextSocket, 'pause' | 'resume'> {
  readonly ready: Ready
  close(): Promise<void>
}

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)
const startMs = 30_000
/** Seconds before each attempt to resume; after the last one a new session has to begin. */
const ladder = [0, 1, 5, 10]
/** After this time a connection counts as sound. */
const healthyMs = 60_000

/** Resolves when the session has begun. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { token, clock, random, signal, onEvent, onEnd } = options
  let sequence: number | null = null
  let ready: Ready | undefined
  let closed = false

  const open = async (address: string, begin: (link: Link) => void): Promise<Link | Ending> => {
    const started = createLater<undefined>()
    const url = `${address.replace(/\/+$/, '')}/?v=10&encoding=json`
    const link = await openLink(options, {
      url,
      sequence: () => sequence,
      onDispatch: ({ s, t, d }) => {
        sequence = s ?? sequence
        if (t === 'READY') ready = read(wire.ready, d)
        else if (t) onEvent(t, d)
        if (t === 'READY' || t === 'RESUMED') started.resolve(undefined)
      },
    })
    begin(link)
    const ending = await runWithin({ clock, signal, ms: startMs, what: 'the begin of the session' }, (bound) => {
      bound.addEventListener('abort', () => void link.close(4000), { once: true })
      return Promise.race([started.promise, link.ended])
    })
    return ending ?? link
  }
  const identify = (to: Link): void => {
    to.send(2, { token, intents, properties: { os: process.platform, browser: 'agent', device: 'agent' } })
  }
  const first = await open(options.url, identify)
  if ('error' in first) throw first.error
  let link = first
  const began: Ready | undefined = ready
  if (!began) throw unreachable('the begin of the session cannot be read')

  const resume = async (attempt: number): Promise<Ending | undefined> => {
    await clock.sleep(backoff(attempt, random, ladder), signal)
    const opened = await open(began.resume_gateway_url, (to) => {
      to.send(6, { token, session_id: began.session_id, seq: sequence })
    }).catch((error: unknown) => ({ error: isAgentError(error) ? error : unreachable(String(error)), resumable: true }))
    if ('error' in opened) return opened
    link = opened
    return undefined
  }
  const keep = async (): Promise<void> => {
    let attempt = 0
    let ending: Ending | undefined
    while (!closed && !signal.aborted) {
      const since = clock.now()
      ending ??= await link.ended
      if (clock.now() - since >= healthyMs) attempt = 0
      if (closed || signal.aborted) return
      if (!ending.resumable || attempt >= ladder.length) return onEnd(ending.error)
      ending = await resume(attempt)
      attempt += 1
    }
  }
  // A sleep that is cut off by the end of the connection is nobody's trouble.
  keep().catch((error: unknown) => signal.aborted || onEnd(unreachable(String(error), error)))
  const close = async (): Promise<void> => {
    closed = true
    await link.close(1000)
  }
  return { ready: began, pause: () => link.pause(), resume: () => link.resume(), close }
}
