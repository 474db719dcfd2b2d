import type { PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError, parseRetryAfter } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { parseJson, readProblem } from './wire.ts'

export const platform = 'Discord'

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly json?: unknown
  readonly form?: FormData
}

/** What Discord said to a request. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  /** Discord's own number of a refusal. */
  readonly code?: number
  readonly detail: string
}

export interface Api {
  /** One request, one answer: for sends, whose receipt decides what comes next. */
  request(method: string, path: string, options: RequestOptions): Promise<Response>
  /** Waits out a short rate limit. Rejects with PLATFORM_UNREACHABLE where nothing is answered, and with PLATFORM_AUTH for a wrong token. */
  ask(method: string, path: string, options: RequestOptions): Promise<Answer>
  /** Bytes of a file that Discord keeps. */
  download(url: string, signal: AbortSignal): Promise<Response>
}

const mostWaits = 3
const longestWaitMs = 10_000

export function createApi({ fetch, clock, about }: Pick<PlatformContext, 'fetch' | 'clock' | 'about'>, settings: Settings): Api {
  const { baseUrl, token } = settings
  const request: Api['request'] = (method, path, { signal, json, form }) => {
    const headers = new Headers({ Authorization: `Bot ${token}`, 'User-Agent': `DiscordBot (agent, ${about.agentVersion})` })
    if (json !== undefined) headers.set('Content-Type', 'application/json')
    const body = form ?? (json === undefined ? null : JSON.stringify(json))
    return fetch(`${baseUrl}${path}`, { method, headers, body, signal, redirect: 'manual' })
  }
  const ask: Api['ask'] = async (method, path, options) => {
    for (let waits = 0; ; waits += 1) {
      const { answer, waitMs } = await readAnswer(request(method, path, options), clock.now(), options.signal)
      if (answer.status === 401) throw refuseToken(answer.detail)
      if (waitMs === undefined || waitMs > longestWaitMs || waits === mostWaits) return answer
      await clock.sleep(waitMs, options.signal)
    }
  }
  // The token is not shown to the servers that keep files.
  return { request, ask, download: (url, signal) => fetch(url, { signal, redirect: 'error' }) }
}

async function readAnswer(
  asking: Promise<Response>,
  now: number,
  signal: AbortSignal,
): Promise<{ readonly answer: Answer; readonly waitMs?: number }> {
  try {
    const response = await asking
    const text = await response.text()
    const body = parseJson(text)
    const { code, detail = `it answered ${response.status}`, retryAfterMs } = describeProblem(text)
    const answer = { ok: response.ok, status: response.status, body, detail, ...(code === undefined ? {} : { code }) }
    if (response.status !== 429) return { answer }
    return { answer, waitMs: retryAfterMs ?? parseRetryAfter(response.headers, now) }
  } catch (error) {
    signal.throwIfAborted()
    if (isAgentError(error)) throw error
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
  }
}

/** What the body of a refusal says. */
export function describeProblem(body: string): {
  readonly code?: number | undefined
  readonly detail?: string | undefined
  readonly retryAfterMs?: number | undefined
} {
  const { code, message, retry_after } = readProblem(parseJson(body)) ?? {}
  const number = code ? ` (${code})` : ''
  return {
    code,
    detail: message === undefined ? undefined : `${message.replace(/\.$/, '')}${number}`,
    retryAfterMs: retry_after === undefined ? undefined : Math.ceil(retry_after * 1000),
  }
}

/** The error of an answer that should have been a success. */
export function refuse({ detail }: Answer): AgentError {
  return fail('PLATFORM_UNREACHABLE', { platform, detail })
}

export function refuseToken(detail: string): AgentError {
  return fail('PLATFORM_AUTH', {
    platform,
    detail: `${detail}; DISCORD_BOT_TOKEN must hold the token under Bot at https://discord.com/developers/applications`,
  })
}
