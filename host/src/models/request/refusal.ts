import { findJsonExcess, type ModelEvent } from '@agent/plugin-sdk'
import { classify, failedEvent, parseRetryAfter, type Refusal } from './classify.ts'
import type { Reply } from './reply.ts'

const longestBody = 65_536

type Source = Parameters<typeof failedEvent>[0]

/** Reads an answer with an error status into the event that ends the stream. */
export async function readRefusal(response: Reply, source: Source, now: number): Promise<Extract<ModelEvent, { type: 'failed' }>> {
  const status = response.status
  const said = describeError(parseJson(await readStart(response)))
  const redirected = status >= 300 && status < 400 ? `it redirects to ${placeOf(response.headers.get('location'))}` : undefined
  const message = redirected ?? said?.message ?? `HTTP ${status} ${response.statusText}`.trim()
  const refusal: Refusal = { status: redirected ? 400 : status, message, codes: [...(said?.codes ?? []), ...headerCodes(response)] }
  return failedEvent(source, {
    class: classify(refusal),
    detail: message,
    retryAfterMs: parseRetryAfter(response.headers, now) ?? said?.retryAfterMs,
  })
}

/** The event for an error object that came inside a stream of status 200. */
export function refusedInStream(error: unknown, source: Source): Extract<ModelEvent, { type: 'failed' }> {
  const said = describeError({ error }) ?? { message: 'an error without a message', codes: [], retryAfterMs: undefined }
  return failedEvent(source, { class: classify(said), detail: said.message, retryAfterMs: said.retryAfterMs })
}

/** AWS names the kind of an error in a header only. */
function headerCodes({ headers }: Reply): readonly string[] {
  const name = headers.get('x-amzn-errortype')?.replace(/[:#].*$/, '')
  return name ? [name] : []
}

interface Said {
  readonly message: string
  readonly codes: readonly string[]
  readonly retryAfterMs: number | undefined
}

/** Understands `{error: {message, type, code}}`, `{error: "…"}`, `{message}`, `{detail}` and a list of one of these. */
export function describeError(body: unknown): Said | undefined {
  const outer = asRecord(Array.isArray(body) ? body[0] : body)
  if (!outer) return undefined
  const inner = asRecord(outer.error) ?? outer
  const said = firstText(outer.error, inner.message, inner.detail, outer.message, outer.detail, outer.Message)
  // "Unsupported value: 'none'" does not say of which field.
  const field = firstText(inner.param)
  const message = said && field && !said.includes(field) ? `${said} (${field})` : said
  const codes = [inner.code, inner.type, inner.status, outer.code, outer.type]
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String)
  if (message === undefined && codes.length === 0) return undefined
  // An aggregator wraps what the vendor behind it said.
  const behind = firstText(asRecord(inner.metadata)?.raw)
  const whole = [message, behind].filter((text) => text !== undefined).join(': ')
  return { message: whole || codes.join(' '), codes, retryAfterMs: retryDelayOf(inner.details) }
}

/** Google tells in the body when to come back: `"34.1s"`. */
function retryDelayOf(details: unknown): number | undefined {
  const delays = (Array.isArray(details) ? details : []).map((detail) => asRecord(detail)?.retryDelay)
  const seconds = delays.map((delay) => /^(\d+(?:\.\d+)?)s$/.exec(String(delay))?.[1]).find((found) => found !== undefined)
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

async function readStart(response: Reply): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < longestBody) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

/** What a server or a model wrote; undefined where it is no JSON, or nested without end. */
export function parseJson(text: string): unknown {
  if (findJsonExcess(text) !== undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

function placeOf(location: string | null): string {
  return location && URL.canParse(location) ? new URL(location).origin : 'another address'
}

/** What broke below `fetch`, which itself only says "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause ? String(cause.code) : undefined
  // An attempt on several addresses fails with an empty message and a code.
  return cause.message || code || cause.name
}
