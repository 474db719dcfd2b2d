import type { Context } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError, parseRetryAfter } from '@agent/plugin-sdk/http'
import { parseProblem, readJson, type Schema } from './wire.ts'

export const platform = 'Matrix'

export interface Request {
  readonly signal: AbortSignal
  readonly method?: 'GET' | 'PUT' | 'POST'
  readonly body?: object
  /** What is not worth a wait is refused where the server wants one. */
  readonly patient?: false
  readonly raw?: { readonly mime: string; readonly bytes: Uint8Array<ArrayBuffer> }
}

/** The access token of an account. */
export interface Tokens {
  /** The one that is taken now; one that is about to end is renewed first. */
  current(): Promise<string>
  /** Another one in the place of one that was refused; undefined where there is none. */
  renew(refused: string): Promise<string | undefined>
}

/** The client-server API of one account. */
export interface Api {
  post(path: string, request: Request): Promise<Response>
  /** Resolves for a success; throws PLATFORM_AUTH, PLATFORM_UNREACHABLE, or SEND_REFUSED with the reason of the server. */
  fetch(path: string, request: Request): Promise<Response>
  ask<T>(schema: Schema<T>, path: string, request: Request): Promise<T>
  /** The same, but undefined for what is not there or is not shown to us. */
  find<T>(schema: Schema<T>, path: string, signal: AbortSignal): Promise<T | undefined>
}

const refusedTokens = new Set(['M_UNKNOWN_TOKEN', 'M_MISSING_TOKEN', 'M_USER_DEACTIVATED', 'M_USER_LOCKED', 'M_USER_SUSPENDED'])
/** What is asked for beside messages waits this long where the server wants that, because several go out at once. */
const mostWaitMs = 10_000
const mostTries = 3

export function createApi(context: Pick<Context, 'fetch' | 'clock'>, homeserver: string, tokens: Tokens | undefined): Api {
  const send = (path: string, { method = 'GET', body, raw, signal }: Request, token: string | undefined): Promise<Response> =>
    context.fetch(`${homeserver}/_matrix/${path}`, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...((body || raw) && { 'Content-Type': raw?.mime ?? 'application/json' }),
      },
      ...((raw || body) && { body: raw?.bytes ?? JSON.stringify(body) }),
      // Another server must not get the token.
      redirect: 'manual',
      signal,
    })
  const post: Api['post'] = async (path, request) => {
    const token = await tokens?.current()
    const response = await send(path, request, token)
    if (response.status !== 401 || token === undefined) return response
    const text = await response.text()
    const other = parseProblem(text)?.errcode === 'M_UNKNOWN_TOKEN' ? await tokens?.renew(token) : undefined
    return other === undefined ? new Response(text, response) : await send(path, request, other)
  }
  const attempt = async (path: string, request: Request, tries = 1): Promise<Response> => {
    const response = await post(path, request).catch((error: unknown) => {
      throw isAgentError(error) ? error : fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
    })
    if (response.status !== 429 || request.patient === false || tries >= mostTries) return response
    const haste = await describeRefusal(response, context.clock.now())
    if ((haste.retryAfterMs ?? 0) > mostWaitMs) throw haste
    await context.clock.sleep(haste.retryAfterMs ?? 0, request.signal)
    return await attempt(path, request, tries + 1)
  }
  const accept = async (response: Response): Promise<Response> => {
    if (!response.ok) throw await describeRefusal(response, context.clock.now())
    return response
  }
  const read = async <T>(schema: Schema<T>, response: Response): Promise<T> => {
    const reply = readJson(schema, await response.text())
    if (reply === undefined) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'its answer cannot be read' })
    return reply
  }
  return {
    post,
    fetch: async (path, request) => accept(await attempt(path, request)),
    ask: async (schema, path, request) => await read(schema, await accept(await attempt(path, request))),
    find: async (schema, path, signal) => {
      const response = await attempt(path, { signal })
      if (response.status !== 403 && response.status !== 404) return await read(schema, await accept(response))
      await response.body?.cancel()
      return undefined
    },
  }
}

async function describeRefusal(response: Response, now: number): Promise<AgentError> {
  const { status, headers } = response
  const { errcode = '', error, retry_after_ms } = parseProblem(await response.text()) ?? {}
  const detail = describeProblem(errcode, error) ?? `it answered ${status}`
  const wait = status === 429 ? { retryAfterMs: retry_after_ms ?? parseRetryAfter(headers, now) } : {}
  const code = refusedTokens.has(errcode)
    ? 'PLATFORM_AUTH'
    : status >= 400 && status < 500 && status !== 429
      ? 'SEND_REFUSED'
      : 'PLATFORM_UNREACHABLE'
  return fail(code, { platform, detail }, wait)
}

/** A path of the client-server API from its parts as they are. */
export const formatPath = (...parts: readonly string[]): string => `client/v3/${parts.map(encodeURIComponent).join('/')}`

/** The sentence of a refusal, with its code. */
export const describeProblem = (errcode: string, error: string | undefined): string | undefined =>
  error ? `${error} (${errcode})` : errcode || undefined
