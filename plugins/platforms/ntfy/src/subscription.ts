import type { Clock } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import { describeRefusal, platform, type Request } from './server.ts'
import { type NtfyEvent, parseEvent, readLines } from './wire.ts'

export interface Subscription {
  /** Fires when it is over; its reason is the error. */
  readonly signal: AbortSignal
  lastHeard(): number
  end(error: AgentError): void
}

export interface SubscriptionOptions {
  readonly request: Request
  readonly path: string
  readonly clock: Clock
  /** Gives up while it is being opened. */
  readonly signal: AbortSignal
  /** Is told the life of the subscription and gives what deals with its events; the next line is read when that resolves. */
  readonly listen: (signal: AbortSignal) => (event: NtfyEvent) => Promise<void>
}

export const lost = (detail: string): AgentError => fail('PLATFORM_LOST', { platform, detail })

const beatMs = 15_000
/** The server gives a sign of life each 45 seconds. */
const deadMs = 120_000

/** Resolves when the server has said that it will send us everything from now on. */
export async function openSubscription({ request, path, clock, signal, listen }: SubscriptionOptions): Promise<Subscription> {
  const life = new AbortController()
  const giveUp = (): void => life.abort(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', giveUp, { once: true })
  const onEvent = listen(life.signal)
  let lastHeard = clock.now()
  let handling = false
  const handle = async (event: NtfyEvent): Promise<void> => {
    handling = true
    await onEvent(event)
    handling = false
  }
  const next = async (lines: AsyncGenerator<string>): Promise<NtfyEvent | undefined> => {
    const line = await lines.next()
    if (line.done) throw lost('the server ended the stream')
    lastHeard = clock.now()
    return parseEvent(line.value)
  }
  const untilOpen = async (lines: AsyncGenerator<string>): Promise<void> => {
    for (;;) {
      const event = await next(lines)
      if (event) await handle(event)
      if (event?.event === 'open') return
    }
  }
  const untilOver = async (lines: AsyncGenerator<string>): Promise<void> => {
    while (!life.signal.aborted) {
      const event = await next(lines)
      if (event) await handle(event)
    }
  }
  const watch = async (): Promise<void> => {
    while (!life.signal.aborted) {
      await clock.sleep(beatMs, life.signal).catch(() => undefined)
      const quiet = clock.now() - lastHeard
      // Nothing is read while the host is not ready for a message.
      if (quiet >= deadMs && !handling) life.abort(lost(`nothing was heard for ${Math.round(quiet / 1000)} seconds`))
    }
  }
  const fall = (error: unknown): void => life.abort(isAgentError(error) ? error : lost(describeError(error).detail))
  try {
    const response = await request(path, { signal: life.signal })
    if (!response.ok || !response.body) throw await describeRefusal(response, clock.now())
    const lines = readLines(response.body)
    await untilOpen(lines)
    untilOver(lines).catch(fall)
    watch().catch(fall)
  } catch (error) {
    fall(error)
    throw isAgentError(error) ? error : fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return { signal: life.signal, lastHeard: () => lastHeard, end: (error) => life.abort(error) }
}
