import type { PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { type Answer, type AskOptions, askPlatform } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { read, wire } from './wire.ts'

export const platform = 'Discord'
export const tokenHint = 'DISCORD_BOT_TOKEN must hold the token under Bot at https://discord.com/developers/applications'

type Body = { readonly json?: unknown; readonly form?: FormData }

export interface Api {
  request(method: string, path: string, signal: AbortSignal, body?: Body): Promise<Response>
  ask(method: string, path: string, signal: AbortSignal, json?: unknown): Promise<Answer>
  /** Like `ask`; a refusal rejects too. */
  demand(method: string, path: string, signal: AbortSignal, json?: unknown): Promise<Answer>
}

export function createApi({ fetch, clock, about }: Pick<PlatformContext, 'fetch' | 'clock' | 'about'>, settings: Settings): Api {
  // Discord wants an address and a version, and blocks who gives none.
  const headers = { Authorization: `Bot ${settings.token}`, 'User-Agent': `DiscordBot (https://agent.invalid, ${about.agentVersion})` }
  const request: Api['request'] = (method, path, signal, { json, form } = {}) => {
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const body = form ?? (json === undefined ? null : JSON.stringify(json))
    return fetch(`${settings.baseUrl}${path}`, { method, headers: { ...headers, ...type }, body, signal, redirect: 'manual' })
  }
  const options = { platform, clock, tokenHint, readProblem }
  const ask: Api['ask'] = (method, path, signal, json) => askPlatform(options, signal, () => request(method, path, signal, { json }))
  const demand: Api['demand'] = async (...asked) => {
    const answer = await ask(...asked)
    if (answer.ok) return answer
    throw unreachable(answer.detail)
  }
  return { request, ask, demand }
}

/** What the body of a refusal says. */
export const readProblem: AskOptions['readProblem'] = (body) => {
  const { code, message, retry_after: seconds } = read(wire.problem, body) ?? {}
  const detail = message === undefined ? undefined : `${message.replace(/\.$/, '')}${code ? ` (${code})` : ''}`
  return { code, detail, retryAfterMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000) }
}

export const unreachable = (detail: string): AgentError => fail('PLATFORM_UNREACHABLE', { platform, detail })
