import type { Context } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import type * as z from 'zod/mini'
import { redactPhones } from './phone.ts'
import type { Settings } from './settings.ts'
import { isRestWrapper, parseAnswer } from './wire.ts'

export const platform = 'Signal'

export type Parameters = Readonly<Record<string, unknown>>

/** The daemon of signal-cli over HTTP. */
export interface Daemon {
  /** Calls a method and gives the answer as it came. */
  request(method: string, parameters: Parameters, signal: AbortSignal): Promise<Response>
  /** Calls a method and gives its result; rejects with a coded error for every refusal. */
  ask<T>(method: string, parameters: Parameters, result: z.ZodMiniType<T>, signal: AbortSignal): Promise<T>
  /** The stream of events, once the daemon has begun it; those after `lastId` come first, where it keeps them. */
  openEvents(lastId: string | undefined, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Rejects unless a daemon answers at this address. */
  check(signal: AbortSignal): Promise<void>
}

export function createDaemon({ fetch }: Pick<Context, 'fetch'>, { url, number }: Settings): Daemon {
  const get = (path: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, { signal, headers, redirect: 'manual' }).catch((error: unknown) => Promise.reject(unreachable(error)))
  const request: Daemon['request'] = (method, parameters, signal) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params: { account: number, ...parameters } })
    return fetch(`${url}/api/v1/rpc`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal, redirect: 'manual' })
  }
  return {
    request,
    ask: async (method, parameters, result, signal) => {
      try {
        const response = await request(method, parameters, signal)
        const answer = parseAnswer(await response.text())
        if (answer?.error) throw describeFailure(answer.error.message)
        if (!response.ok || !answer)
          throw fail('PLATFORM_UNREACHABLE', { platform, detail: `${method} was answered with ${response.status}` })
        return result.parse(answer.result)
      } catch (error) {
        throw unreachable(error)
      }
    },
    openEvents: async (lastId, signal) => {
      const response = await get(
        `/api/v1/events?account=${encodeURIComponent(number)}`,
        signal,
        lastId === undefined ? {} : { 'Last-Event-ID': lastId },
      )
      const type = response.headers.get('Content-Type') ?? ''
      if (response.ok && response.body && type.startsWith('text/event-stream')) return response.body
      await response.body?.cancel()
      throw fail('PLATFORM_UNREACHABLE', { platform, detail: `the events were answered with ${response.status}` })
    },
    check: async (signal) => {
      const response = await get('/api/v1/check', signal)
      await response.body?.cancel()
      if (response.ok) return
      if (response.status >= 500) throw fail('PLATFORM_UNREACHABLE', { platform, detail: `the daemon answered ${response.status}` })
      const wrapper = await get('/v1/about', signal)
      throw fail('ENV_INVALID', { name: 'SIGNAL_HTTP_URL', problem: describeStranger(isRestWrapper(await wrapper.text())) })
    },
  }
}

const describeStranger = (wrapped: boolean): string =>
  wrapped
    ? 'leads to signal-cli-rest-api, which speaks another protocol; run `signal-cli daemon --http` instead'
    : 'leads to no daemon of signal-cli; run `signal-cli daemon --http`'

/** An account that the daemon does not have cannot be mended by trying again. */
function describeFailure(message: string): Error {
  const detail = redactPhones(message)
  const isUnknown = /account does not exist|authorization failed/i.test(message)
  return fail(isUnknown ? 'PLATFORM_AUTH' : 'PLATFORM_UNREACHABLE', { platform, detail })
}

function unreachable(error: unknown): Error {
  if (isAgentError(error)) return error
  return fail('PLATFORM_UNREACHABLE', { platform, detail: redactPhones(describeError(error).detail) }, { cause: error })
}
