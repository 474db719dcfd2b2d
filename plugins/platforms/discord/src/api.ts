import type { PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { describeError, parseRetryAfter } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { parseJson, read, wire } from './wire.ts'

export const platform = 'Discord'

/** What Discord said to a request. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  /** Discord's own number of a refusal. */
  readonly code: number | undefined
  readonly detail: string
}

export interface Api {
  request(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: { readonly json?: unknown; readonly form?: FormData },
  ): Promise<Response>
  /** Waits out a short rate limit. Rejects with PLATFORM_UNREACHABLE where nothing is answered, and with PLATFORM_AUTH for a wrong token. */
  ask(method: string, path: string, signal: AbortSignal, json?: unknown): Promise<Answer>
  /** The same; a refusal rejects too. */
  demand(method: string, path: string, signal: AbortSignal, json?: unknown): Promise<Answer>
}

const mostWaits = 3
const longestWaitMs = 10_000

export function createApi({ fetch, clock, about }: Pick<PlatformContext, 'fetch' | 'clock' | 'about'>, settings: Settings): Api {
  const headers = { Authorization: `Bot ${settings.token}`, 'User-Agent': `DiscordBot (agent, ${about.agentVersion})` }
  const request: Api['request'] = (method, path, signal, { json, form } = {}) => {
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const body = form ?? (json === undefined ? null : JSON.stringify(json))
    return fetch(`${settings.baseUrl}${path}`, { method, headers: { ...headers, ...type }, body, signal, redirect: 'manual' })
  }
  const ask: Api['ask'] = async (method, path, signal, json) => {
    for (let waits = 0; ; waits += 1) {
      const [response, text] = await receive(request(method, path, signal, { json }), signal)
      const { ok, status } = response
      const { code, detail = `it answered ${status}`, retryAfterMs } = describeProblem(text)
      if (status === 401) throw refuseToken(detail)
      const waitMs = status === 429 ? (retryAfterMs ?? parseRetryAfter(response.headers, clock.now())) : Number.POSITIVE_INFINITY
      if (waitMs > longestWaitMs || waits === mostWaits) return { ok, status, code, detail, body: parseJson(text) }
      await clock.sleep(waitMs, signal)
    }
  }
  const demand: Api['demand'] = async (...asked) => {
    const answer = await ask(...asked)
    if (answer.ok) return answer
    throw unreachable(answer.detail)
  }
  return { request, ask, demand }
}

async function receive(asking: Promise<Response>, signal: AbortSignal): Promise<[response: Response, text: string]> {
  try {
    const response = await asking
    return [response, await response.text()]
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(describeError(error).detail, error)
  }
}

interface Problem {
  readonly code: number | undefined
  readonly detail: string | undefined
  readonly retryAfterMs: number | undefined
}

/** What the body of a refusal says. */
export function describeProblem(body: string): Problem {
  const { code, message, retry_after: seconds } = read(wire.problem, parseJson(body)) ?? {}
  const detail = message === undefined ? undefined : `${message.replace(/\.$/, '')}${code ? ` (${code})` : ''}`
  return { code, detail, retryAfterMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000) }
}

export function unreachable(detail: string, cause?: unknown): AgentError {
  return fail('PLATFORM_UNREACHABLE', { platform, detail }, { cause })
}

const where = 'DISCORD_BOT_TOKEN must hold the token under Bot at https://discord.com/developers/applications'
export const refuseToken = (why: string): AgentError => fail('PLATFORM_AUTH', { platform, detail: `${why}; ${where}` })
