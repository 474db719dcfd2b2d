import { fail } from '../contract/errors.ts'
import { toStandard } from './to-standard.ts'

export type CarefulFetch = (url: string, options: RequestInit) => Promise<Response>

/**
 * Tells a server in trouble from one that refuses, and evens out what vendors do beside the standard; with the time also what MiniMax does.
 * Redirects are not followed: they would carry a token elsewhere. An answer that is too long is not read to its end.
 */
export function createCarefulFetch(name: string, fetchNow: typeof fetch, now?: () => number): CarefulFetch {
  return async (url, options) => {
    const response = await fetchNow(url, { ...options, redirect: 'manual' })
    const { status, headers } = response
    if (status === 429) {
      const retryAfterMs = Number(headers.get('retry-after')) * 1000
      const details = retryAfterMs > 0 ? { retryAfterMs } : {}
      throw fail('MODEL_RATE_LIMIT', { provider: name, detail: `${hostOf(url)} takes no more requests for tokens now` }, details)
    }
    if (status >= 500) throw fail('MODEL_SERVER_ERROR', { provider: name, detail: `${hostOf(url)} answered with HTTP ${status}` })
    const text = await readShort(response, () =>
      fail('LOGIN_FAILED', { provider: name, detail: `the answer of ${hostOf(url)} is too long` }),
    )
    return options.method === 'POST' ? evenOut(response, text, now) : again(response, text)
  }
}

/** Some refuse with status 200. Who the person is, is nobody's business here: an ID token would only be held against our clock. */
function evenOut(response: Response, text: string, now: (() => number) | undefined): Response {
  const body = parse(text)
  if (!body) return again(response, text)
  const theirs = Date.parse(response.headers.get('date') ?? '')
  const { id_token: _, ...rest } = now ? toStandard(body, Number.isNaN(theirs) ? now() : theirs) : body
  const status = response.ok && typeof rest.error === 'string' ? 400 : response.status
  const type = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(rest), { status, headers: { ...Object.fromEntries(response.headers), ...type } })
}

const again = (response: Response, text: string): Response => new Response(text === '' ? null : text, response)

const mostBytes = 256 * 1024

/** Counted as it is unpacked: a small answer can stand for a very long one. */
async function readShort(response: Response, tooLong: () => Error): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const bytes of response.body ?? []) {
    size += bytes.length
    if (size > mostBytes) throw tooLong()
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function hostOf(url: string): string {
  return new URL(url).host
}
