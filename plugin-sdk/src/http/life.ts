import type { PlatformContext } from '../contract/context.ts'
import { type AgentError, detailOf, fail, finalCodes, isAgentError, toWireError } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'

/** The life of one connection to a platform: when it was last heard, and how it ended. */
export interface Life {
  /** Fires when the connection is over; its reason is the error. */
  readonly signal: AbortSignal
  /** Something came from the platform. */
  hear(): void
  lastHeard(): number
  /** The connection works: from now on the host is told when it breaks. */
  serve(): void
  /** The connection broke. The first error counts; what has no code is PLATFORM_LOST, or PLUGIN_FAILED where it is a mistake in the code. */
  end(error: unknown): void
  /** The connection is closed as asked: nobody is told. */
  close(): void
}

/** Ends a connection when its platform is silent, broken or deactivated, and tells the host once. `platform` is named in errors. */
export function openLife(
  {
    clock,
    lost,
    signal,
    effect,
    log,
  }: Pick<PlatformContext, 'clock' | 'lost' | 'signal' | 'effect'> & Partial<Pick<PlatformContext, 'log'>>,
  platform: string,
): Life {
  const life = new AbortController()
  let lastHeard = clock.now()
  let serving = false
  const tell = (): void => {
    if (!signal.aborted) lost({ retryable: isRetryable(life.signal.reason), error: toWireError(life.signal.reason) })
  }
  const end = (error: unknown): void => {
    if (life.signal.aborted) return
    if (isMistake(error)) log?.error('a mistake ended the connection', { stack: error.stack })
    life.abort(toEnd(platform, error))
    if (serving) tell()
  }
  const close = (): void => {
    serving = false
    end(fail('PLATFORM_LOST', { platform, detail: 'it was closed' }))
  }
  effect(close)
  return {
    signal: life.signal,
    hear: () => {
      lastHeard = clock.now()
    },
    lastHeard: () => lastHeard,
    serve: () => {
      if (serving) return
      serving = true
      if (life.signal.aborted) tell()
    },
    end,
    close,
  }
}

function toEnd(platform: string, error: unknown): AgentError {
  if (isAgentError(error)) return error
  const detail = detailOf(error)
  if (isMistake(error)) return fail('PLUGIN_FAILED', { plugin: platform, during: 'its connection', detail }, { cause: error })
  return fail('PLATFORM_LOST', { platform, detail }, { cause: error })
}

/** An error of the language, as code throws it that has taken something for what it is not. Those of networks have a code or a cause. */
function isMistake(error: unknown): error is Error {
  const isOfLanguage = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return isOfLanguage && error.cause === undefined && !('code' in error)
}

function isRetryable(error: AgentError): boolean {
  return !finalCodes.has(error.code)
}

/** Codes that say nothing about why there is no connection. */
const saysNothing = new Set(['TIMED_OUT', 'PLATFORM_LOST', 'SEND_REFUSED'])

/**
 * Opens a connection that ends with its life, and gives up with the call; what the host cannot use as an error becomes PLATFORM_UNREACHABLE. A mistake
 * in the code stays what it is: the host tells it as one, with its stack.
 */
export async function connectWithin<T>(
  context: Parameters<typeof openLife>[0],
  platform: string,
  call: Pick<Call, 'signal'>,
  open: (life: Life) => Promise<T>,
): Promise<T> {
  const life = openLife(context, platform)
  const giveUp = (): void => life.end(call.signal.reason)
  if (call.signal.aborted) giveUp()
  call.signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await open(life)
  } catch (error) {
    life.close()
    if (isMistake(error) || (isAgentError(error) && !saysNothing.has(error.code))) throw error
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: detailOf(error) }, { cause: error })
  } finally {
    call.signal.removeEventListener('abort', giveUp)
  }
}
