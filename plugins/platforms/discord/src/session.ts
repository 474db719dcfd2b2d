import type { Clock } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { backoff, runWithin } from '@agent/plugin-sdk/http'
import { platform } from './api.ts'
import { type Ending, type Link, openLink } from './link.ts'
import { type Frame, type Ready, readReady } from './wire.ts'

export interface SessionOptions {
  readonly url: string
  readonly token: string
  readonly clock: Clock
  readonly random: () => number
  /** Ends it. */
  readonly signal: AbortSignal
  readonly onHear: () => void
  /** An event, in order; READY is the first. */
  readonly onEvent: (name: string, data: unknown) => void
  /** Nothing more comes of this session. */
  readonly onEnd: (error: AgentError) => void
}

/** A session with the gateway. It outlives its connections: what is missed while one is replaced comes afterwards. */
export interface Session {
  pause(): void
  resume(): void
  close(): Promise<void>
}

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)
const startMs = 30_000
/** Seconds before each attempt to resume; after the last one a new session has to begin. */
const ladder = [0, 1, 5, 10]
/** After this time a connection counts as sound. */
const healthyMs = 60_000

/** Resolves when the session has begun and its first event was told. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { token, clock, random, signal, onEvent, onEnd } = options
  let sequence: number | null = null
  let began: Ready | undefined
  let closed = false

  const open = async (url: string, begin: (link: Link) => void): Promise<Link> => {
    let tellStarted: () => void = () => undefined
    const started = new Promise<void>((resolve) => {
      tellStarted = resolve
    })
    const onDispatch = ({ s, t, d }: Frame): void => {
      sequence = s ?? sequence
      if (t === 'READY') began = readReady(d)
      if (t) onEvent(t, d)
      if (t === 'READY' || t === 'RESUMED') tellStarted()
    }
    const query = `${url.replace(/\/+$/, '')}/?v=10&encoding=json`
    const link = await openLink({ ...options, url: query, sequence: () => sequence, onDispatch })
    begin(link)
    const refused = link.ended.then((ending) => Promise.reject(describeEnding(ending)))
    try {
      await runWithin({ clock, signal, ms: startMs, what: 'the begin of the session' }, (bound) =>
        Promise.race([started, refused, rejectOn(bound)]),
      )
    } catch (error) {
      void link.close(4000)
      throw error
    }
    return link
  }

  const identify = (link: Link): void =>
    link.send(2, { token, intents, properties: { os: process.platform, browser: 'agent', device: 'agent' } })
  const resume = (link: Link): void => link.send(6, { token, session_id: began?.session_id, seq: sequence })

  let link = await open(options.url, identify)
  if (!began) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'the begin of the session cannot be read' })

  const resumeOnce = async (attempt: number): Promise<Ending | undefined> => {
    await clock.sleep(backoff(attempt, random, ladder), signal)
    try {
      link = await open(began?.resume_gateway_url ?? options.url, resume)
      return undefined
    } catch (error) {
      return readEnding(error) ?? { type: 'reconnect' }
    }
  }
  const keep = async (): Promise<void> => {
    let attempt = 0
    let ending: Ending | undefined
    while (!closed && !signal.aborted) {
      const since = clock.now()
      ending ??= await link.ended
      if (clock.now() - since >= healthyMs) attempt = 0
      if (closed || signal.aborted) return
      if (!isResumable(ending) || attempt >= ladder.length) return onEnd(describeEnding(ending))
      ending = await resumeOnce(attempt)
      attempt += 1
    }
  }
  void keep().catch((error: unknown) => {
    if (!closed && !signal.aborted) onEnd(fail('PLATFORM_LOST', { platform, detail: String(error) }, { cause: error }))
  })
  return {
    pause: () => link.pause(),
    resume: () => link.resume(),
    close: async () => {
      closed = true
      await link.close(1000)
    },
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

/** The session is over after these: a wrong sequence, and too long a silence. */
const sessionOver = new Set([4007, 4009])

/** Close codes that no new connection mends, with what has to be done. */
const final: Readonly<Record<number, string>> = {
  4004: 'the gateway does not know the token; DISCORD_BOT_TOKEN must hold the token under Bot at https://discord.com/developers/applications',
  4010: 'the gateway does not take the shard (4010)',
  4011: 'the bot is in too many servers for one connection (4011)',
  4012: 'the gateway does not speak version 10 (4012)',
  4013: 'the gateway does not know the intents (4013)',
  4014: 'the Message Content Intent is off; switch it on under Bot, Privileged Gateway Intents, at https://discord.com/developers/applications',
}

function isResumable(ending: Ending): boolean {
  if (ending.type === 'invalid') return ending.resumable
  return ending.type !== 'closed' || !(ending.code in final || sessionOver.has(ending.code))
}

/** An ending as an error that can be read back. */
function describeEnding(ending: Ending): AgentError {
  const options = { cause: ending }
  if (ending.type === 'closed') {
    const why = final[ending.code]
    if (why !== undefined) return fail('PLATFORM_AUTH', { platform, detail: why }, options)
    const reason = ending.reason === '' ? '' : `: ${ending.reason}`
    return fail('PLATFORM_LOST', { platform, detail: `the gateway closed with ${ending.code}${reason}` }, options)
  }
  const details = {
    invalid: 'the session is not valid any more',
    reconnect: 'the gateway asked for another connection',
    silent: 'a heartbeat was not acknowledged',
  }
  return fail('PLATFORM_LOST', { platform, detail: details[ending.type] }, options)
}

function readEnding(error: unknown): Ending | undefined {
  const cause = error instanceof Error ? (error.cause as Partial<Ending> | undefined) : undefined
  return cause !== undefined && typeof cause.type === 'string' ? (cause as Ending) : undefined
}
