import type { PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { describeError, parseRetryAfter } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { parseJson, readProblem } from './wire.ts'

export const platform = 'Mattermost'

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly json?: unknown
  readonly form?: FormData
}

/** What the server said to a request. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  readonly detail: string
}

export interface Api {
  /** One request, one answer. */
  request(method: string, path: string, options: RequestOptions): Promise<Response>
  /** Waits out a short rate limit. Rejects with PLATFORM_UNREACHABLE where nothing is answered, and with PLATFORM_AUTH for a wrong token. */
  ask(method: string, path: string, options: RequestOptions): Promise<Answer>
}

const mostWaits = 3
const longestWaitMs = 10_000

export function createApi({ fetch, clock }: Pick<PlatformContext, 'fetch' | 'clock'>, { apiUrl, token }: Settings): Api {
  const request: Api['request'] = (method, path, { signal, json, form }) => {
    const headers = new Headers({ Authorization: `Bearer ${token}` })
    if (json !== undefined) headers.set('Content-Type', 'application/json')
    const body = form ?? (json === undefined ? null : JSON.stringify(json))
    return fetch(`${apiUrl}${path}`, { method, headers, body, signal, redirect: 'manual' })
  }
  const attempt = async (method: string, path: string, options: RequestOptions): Promise<[answer: Answer, headers: Headers]> => {
    try {
      const response = await request(method, path, options)
      return [await readAnswer(response), response.headers]
    } catch (error) {
      options.signal.throwIfAborted()
      throw fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
    }
  }
  return {
    request,
    ask: async (method, path, options) => {
      for (let waits = 0; ; waits += 1) {
        const [answer, headers] = await attempt(method, path, options)
        if (answer.status === 401) throw refuseToken(answer.detail)
        if (answer.status !== 429 || waits === mostWaits) return answer
        const waitMs = parseRetryAfter(headers, clock.now(), 1000)
        if (waitMs > longestWaitMs) return answer
        await clock.sleep(waitMs, options.signal)
      }
    },
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const { ok, status } = response
  const text = await response.text()
  return { ok, status, body: parseJson(text), detail: describeProblem(text) ?? `it answered ${status}` }
}

/** What the body of a refusal says. */
export function describeProblem(body: string): string | undefined {
  return readProblem(parseJson(body))?.message?.replace(/\.$/, '')
}

/** The error of an answer that should have been a success. */
export function refuse({ detail }: Answer): AgentError {
  return fail('PLATFORM_UNREACHABLE', { platform, detail })
}

export function refuseToken(detail: string): AgentError {
  return fail('PLATFORM_AUTH', { platform, detail: `${detail}; MATTERMOST_TOKEN must hold the access token of a bot` })
}
