import type { Clock } from '../contract/context.ts'
import { fail } from '../contract/errors.ts'
import { parseJson } from './parse-json.ts'
import { describeError, parseRetryAfter } from './receipts.ts'

/** What a platform said to a request. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  /** Its JSON; undefined where there is none. */
  readonly body: unknown
  /** The platform's own name or number of a refusal. */
  readonly code: string | number | undefined
  /** Why, in the platform's words or by the status. */
  readonly detail: string
}

/** How requests to the API of a platform are made and what their refusals mean. */
export interface AskOptions {
  /** Named in errors. */
  readonly platform: string
  readonly clock: Clock
  /** Said after the platform's own words where the token is refused: what the token has to be. */
  readonly tokenHint: string
  /** What a refusal says. */
  readonly readProblem: (body: unknown) => {
    readonly detail?: string | undefined
    readonly code?: string | number | undefined
    readonly retryAfterMs?: number | undefined
  }
}

const mostWaits = 3
const longestWaitMs = 10_000

/** Asks something that is no message. Waits out a short rate limit; rejects with PLATFORM_UNREACHABLE where nothing is answered, and with PLATFORM_AUTH for 401. */
export async function askPlatform(options: AskOptions, signal: AbortSignal, request: () => Promise<Response>): Promise<Answer> {
  const { platform, clock, tokenHint, readProblem } = options
  for (let waits = 0; ; waits += 1) {
    const [{ ok, status, headers }, body] = await receive(platform, signal, request)
    const { code, detail = `it answered ${status}`, retryAfterMs } = ok ? {} : readProblem(body)
    if (status === 401) throw fail('PLATFORM_AUTH', { platform, detail: `${detail}; ${tokenHint}` })
    const waitMs = status === 429 ? (retryAfterMs ?? parseRetryAfter(headers, clock.now())) : Number.POSITIVE_INFINITY
    if (waitMs > longestWaitMs || waits === mostWaits) return { ok, status, body, code, detail }
    await clock.sleep(waitMs, signal)
  }
}

async function receive(
  platform: string,
  signal: AbortSignal,
  request: () => Promise<Response>,
): Promise<[response: Response, body: unknown]> {
  try {
    const response = await request()
    return [response, parseJson(await response.text())]
  } catch (error) {
    signal.throwIfAborted()
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
  }
}
