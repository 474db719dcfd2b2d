import { type AgentError, fail, isAgentError } from '../contract/errors.ts'
import { withTimeLimit } from '../contract/time-limit.ts'
import { backoff } from './backoff.ts'
import { comeBack, createLater, type OpcodeEnding, type OpcodeLink, type OpcodeLinkOptions, openOpcodeLink } from './opcode-link.ts'
import { describeError } from './receipts.ts'
import type { TextSocket } from './web-socket.ts'

/** What a session by numbered operations needs, over all its connections. */
export interface OpcodeSessionOptions extends OpcodeLinkOptions {
  /** With the query that the gateway wants. */
  readonly url: string
  /** What is said to begin a session. */
  readonly identify: unknown
  /** What is said to go on with a session. */
  readonly resume: (session: string, sequence: number | null) => unknown
  /** Where a session is resumed, of what READY said; the first address where that says nothing. */
  readonly resumeUrl?: (ready: unknown) => string | undefined
  /** Nothing more comes of this session. */
  readonly onEnd: (error: AgentError) => void
}

/** A session with a gateway that counts its events. It outlives its connections. */
export interface OpcodeSession extends Pick<TextSocket, 'pause' | 'resume'> {
  /** What the gateway said at the begin. */
  readonly ready: unknown
  /** Tells every event, in order: those that came before, and those that were missed while the connection was replaced, too. */
  listen(onEvent: (name: string, data: unknown) => void): void
  close(): Promise<void>
}

const startMs = 30_000
/** Seconds before each attempt to resume; after the last one a new session has to begin. */
const ladder = [0, 1, 5, 10]
/** After this time a connection counts as sound. */
const healthyMs = 60_000

/** Begins a session with a gateway that speaks in numbered operations: 10 hello, 2 identify, 6 resume, 1 and 11 heartbeats, 7 and 9 ends. */
export async function openOpcodeSession(options: OpcodeSessionOptions): Promise<OpcodeSession> {
  const { platform, clock, random, signal, onEnd } = options
  const early: [name: string, data: unknown][] = []
  let onEvent = (name: string, data: unknown): void => void early.push([name, data])
  let sequence: number | null = null
  let ready: unknown
  let closed = false

  const open = async (url: string, begin: (link: OpcodeLink) => void): Promise<OpcodeLink | OpcodeEnding> => {
    const started = createLater<undefined>()
    const link = await openOpcodeLink(options, {
      url,
      sequence: () => sequence,
      onDispatch: ({ s, t, d }) => {
        sequence = s ?? sequence
        if (t === 'READY') ready = d
        else if (t) onEvent(t, d)
        if (t === 'READY' || t === 'RESUMED') started.resolve(undefined)
      },
    })
    begin(link)
    const ending = await withTimeLimit({ clock, signal, ms: startMs, what: 'the begin of the session' }, (bound) => {
      bound.addEventListener('abort', () => void link.close(comeBack), { once: true })
      return Promise.race([started.promise, link.ended])
    })
    return ending ?? link
  }
  const first = await open(options.url, (link) => link.send(2, options.identify))
  if ('error' in first) throw first.error
  let link = first
  const { session_id: session = '' } = (ready ?? {}) as { session_id?: string }
  const resumeUrl = options.resumeUrl?.(ready) ?? options.url

  const resume = async (attempt: number): Promise<OpcodeEnding | undefined> => {
    await clock.sleep(backoff(attempt, random, ladder), signal)
    const opened = await open(resumeUrl, (to) => to.send(6, options.resume(session, sequence))).catch((error: unknown) => {
      const lost = isAgentError(error) ? error : fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail })
      return { error: lost, resumable: true }
    })
    if ('error' in opened) return opened
    link = opened
    return undefined
  }
  const keep = async (): Promise<void> => {
    let attempt = 0
    let ending: OpcodeEnding | undefined
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
  // A wait that the end of the connection cuts off is nobody's trouble.
  keep().catch((error: unknown) => {
    if (!signal.aborted) onEnd(fail('PLATFORM_LOST', { platform, detail: describeError(error).detail }, { cause: error }))
  })
  return {
    ready,
    pause: () => link.pause(),
    resume: () => link.resume(),
    listen: (listener) => {
      onEvent = listener
      for (const [name, data] of early.splice(0)) onEvent(name, data)
    },
    close: async () => {
      closed = true
      await link.close(1000)
    },
  }
}
