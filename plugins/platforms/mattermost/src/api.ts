import type { PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { type Answer, type AskOptions, askPlatform } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { readRefusal } from './wire.ts'

export const platform = 'Mattermost'
export const tokenHint = 'MATTERMOST_TOKEN must hold the access token of a bot'

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly json?: unknown
  readonly form?: FormData
}

export interface Api {
  request(method: string, path: string, options: RequestOptions): Promise<Response>
  ask(method: string, path: string, options: RequestOptions): Promise<Answer>
}

export function createApi({ fetch, clock }: Pick<PlatformContext, 'fetch' | 'clock'>, { apiUrl, token }: Settings): Api {
  const request: Api['request'] = (method, path, { signal, json, form }) => {
    const headers = new Headers({ Authorization: `Bearer ${token}` })
    if (json !== undefined) headers.set('Content-Type', 'application/json')
    const body = form ?? (json === undefined ? null : JSON.stringify(json))
    return fetch(`${apiUrl}${path}`, { method, headers, body, signal, redirect: 'manual' })
  }
  const options = { platform, clock, tokenHint, readProblem }
  return { request, ask: (method, path, asked) => askPlatform(options, asked.signal, () => request(method, path, asked)) }
}

/** What the body of a refusal says. */
export const readProblem: AskOptions['readProblem'] = (body) => ({ detail: readRefusal(body)?.message?.replace(/\.$/, '') })

/** The error of an answer that should have been a success. */
export function refuse({ detail }: Answer): AgentError {
  return fail('PLATFORM_UNREACHABLE', { platform, detail })
}
