import type { Context } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { parseRetryAfter } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { type NtfyEvent, parseEvent, parseProblem } from './wire.ts'

export const platform = 'ntfy'

/** Asks the server for a path below its address, with our credentials. */
export type Request = (path: string, init: RequestInit & { readonly signal: AbortSignal }) => Promise<Response>

/** A redirect is not followed: it would turn a publication into a question, and show the token elsewhere. */
export function createRequest(context: Pick<Context, 'fetch'>, { server, authorization }: Settings): Request {
  return (path, { headers, ...init }) => {
    const all = new Headers(headers)
    if (authorization !== undefined) all.set('Authorization', authorization)
    return context.fetch(`${server}${path}`, { ...init, headers: all, redirect: 'manual' })
  }
}

/** What the server says in a refusal. */
export async function readProblem(response: Response): Promise<string> {
  const said = parseProblem(await response.text())
  const location = response.headers.get('Location')
  return said ?? (location === null ? `it answered ${response.status}` : `it sends on to ${location}`)
}

/** Why the server does not let us listen. */
export async function describeRefusal(response: Response, now: number): Promise<AgentError> {
  const detail = await readProblem(response)
  const { status } = response
  if (status === 401 || status === 403) return fail('PLATFORM_AUTH', { platform, detail })
  if (status === 429) return fail('PLATFORM_UNREACHABLE', { platform, detail }, { retryAfterMs: parseRetryAfter(response.headers, now) })
  if (status === 400) return fail('ENV_INVALID', { name: 'NTFY_TOPIC', problem: `is not taken by the server: ${detail}` })
  if (status < 500) return fail('ENV_INVALID', { name: 'NTFY_SERVER_URL', problem: `leads to no ntfy server: ${detail}` })
  return fail('PLATFORM_UNREACHABLE', { platform, detail })
}

/** All that the server still keeps of a topic. An answer that was cut is an error: what is missing proves nothing. */
export async function fetchCached(request: Request, topic: string, signal: AbortSignal): Promise<readonly NtfyEvent[]> {
  const response = await request(`/${topic}/json?poll=1&since=all`, { signal })
  if (!response.ok) throw fail('PLATFORM_UNREACHABLE', { platform, detail: await readProblem(response) })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const event = parseEvent(line)
    if (!event) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'the list of messages cannot be read' })
    return event
  })
}
