import type { Clock } from '../contract/context.ts'
import { fail, toWireError } from '../contract/errors.ts'
import type { Receipt } from '../contract/messages.ts'
import type { Call } from '../contract/wire.ts'
import { createReceipts, describeError, isBeforeSending, parseRetryAfter } from './receipts.ts'

export interface SendRequestOptions {
  /** Named in errors. */
  readonly platform: string
  readonly clock: Clock
  readonly call: Call
  readonly request: (signal: AbortSignal) => Promise<Response>
  /** The platform's id of the message in the body of a success; undefined where there is none. */
  readonly readId: (body: string) => string | undefined
  /** What the platform says in a refusal; without it the status is told. */
  readonly readProblem?: (body: string) => { readonly detail?: string | undefined; readonly retryAfterMs?: number | undefined }
}

/** Sends one message by one request and says what became of it. Rejects with PLATFORM_UNREACHABLE where nothing can have left. */
export async function sendRequest(options: SendRequestOptions): Promise<Receipt> {
  const { platform, call, request } = options
  const receipts = createReceipts(platform)
  if (call.signal.aborted) throw receipts.notSent('it was given up before it began')
  try {
    const response = await request(call.signal)
    return judge(options, response, await response.text())
  } catch (error) {
    const { detail } = describeError(error)
    if (isBeforeSending(error)) throw receipts.notSent(detail, error)
    return receipts.unknown(detail)
  }
}

function judge({ platform, clock, readId, readProblem }: SendRequestOptions, response: Response, body: string): Receipt {
  const receipts = createReceipts(platform)
  const { status } = response
  if (response.ok) {
    const id = readId(body)
    if (id !== undefined) return receipts.sent(id)
  }
  const problem = readProblem?.(body) ?? {}
  const detail = problem.detail ?? describeAnswer(response)
  if (status === 429) return receipts.refused(detail, problem.retryAfterMs ?? parseRetryAfter(response.headers, clock.now()))
  if (status === 401) return { status: 'refused', error: toWireError(fail('PLATFORM_AUTH', { platform, detail })) }
  if (problem.retryAfterMs !== undefined) return receipts.refused(detail, problem.retryAfterMs)
  if (status >= 500 || (response.ok && problem.detail === undefined)) return receipts.unknown(detail)
  return receipts.refused(detail)
}

function describeAnswer({ ok, status, headers }: Response): string {
  const location = headers.get('Location')
  if (location !== null) return `it sends on to ${location}`
  return ok ? 'its answer cannot be read' : `it answered ${status}`
}
