import type { Context, Wire } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError, isVendorAddress, parseRetryAfter } from '@agent/plugin-sdk/http'
import { parseProblem, readJson, type Schema } from './wire.ts'

export const platform = 'Slack'

/** Arguments of a method; what is undefined is left out. */
export type Arguments = Readonly<Record<string, Wire | undefined>>

/** The Web API with one token. Everything but `post` throws PLATFORM_AUTH, PLATFORM_UNREACHABLE, or SEND_REFUSED with Slack's reason. */
export interface Api {
  post(method: string, values: Arguments, signal: AbortSignal): Promise<Response>
  ask<T>(schema: Schema<T>, method: string, values: Arguments, signal: AbortSignal): Promise<T>
  /** Asks for a list page by page, at most twenty. */
  pages<T extends Page>(schema: Schema<T>, method: string, values: Arguments, signal: AbortSignal): AsyncGenerator<T, void>
  /** Bytes from and to where Slack says; what lies elsewhere, as a file of another service does, is left alone. */
  transfer(url: string, init: RequestInit): Promise<Response>
}

interface Page {
  readonly response_metadata?: { readonly next_cursor?: string | null | undefined } | null | undefined
}

const refusedTokens = /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_allowed_token_type)$/
/** Nobody can tell whether the method was carried out. */
const trouble = /^(internal_error|fatal_error|service_unavailable|request_timeout)$/
export const isTrouble = (error: string): boolean => trouble.test(error)
const mostPages = 20
/** Where Slack keeps files. */
const hosts = ['slack.com', 'slack-files.com', 'slack-edge.com', 'slack-gov.com']

export function createApi({ fetch, clock }: Pick<Context, 'fetch' | 'clock'>, address: string, token: string): Api {
  const headers = { Authorization: `Bearer ${token}` }
  // Methods that read take no JSON, those that write take forms too.
  const post: Api['post'] = (method, values, signal) =>
    fetch(`${address}/${method}`, { method: 'POST', headers, body: formatForm(values), redirect: 'manual', signal })

  const receive = async (work: Promise<Response>): Promise<Response> => {
    const response = await work.catch((error: unknown) => {
      throw isAgentError(error) ? error : fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail })
    })
    if (response.ok) return response
    await response.body?.cancel()
    const wait = response.status === 429 ? { retryAfterMs: parseRetryAfter(response.headers, clock.now()) } : {}
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: `it answered ${response.status}` }, wait)
  }
  const ask: Api['ask'] = async (schema, method, values, signal) => {
    const body = await (await receive(post(method, values, signal))).text()
    const problem = parseProblem(body)
    if (problem) throw refuse(problem)
    const reply = readJson(schema, body)
    if (reply === undefined) throw fail('PLATFORM_UNREACHABLE', { platform, detail: `the answer of ${method} cannot be read` })
    return reply
  }
  return {
    post,
    ask,
    pages: async function* (schema, method, values, signal) {
      let cursor: string | null | undefined
      for (let page = 0; page < mostPages; page += 1) {
        const reply = await ask(schema, method, { ...values, cursor: cursor ?? undefined }, signal)
        yield reply
        cursor = reply.response_metadata?.next_cursor
        if (!cursor) return
      }
    },
    transfer: async (url, init) => {
      if (!isVendorAddress(url, address, hosts)) throw fail('SEND_REFUSED', { platform, detail: 'the file lies outside of Slack' })
      return await receive(fetch(url, { ...init, headers: { ...headers } }))
    },
  }
}

function formatForm(values: Arguments): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form
}

export const isRefusedToken = (error: string): boolean => refusedTokens.test(error)

function refuse({ error, detail }: { readonly error: string; readonly detail: string }): Error {
  if (isRefusedToken(error)) return fail('PLATFORM_AUTH', { platform, detail })
  return fail(isTrouble(error) ? 'PLATFORM_UNREACHABLE' : 'SEND_REFUSED', { platform, detail })
}

/** While connecting a refusal of any kind is one of the credentials. */
export async function prove<T>(asking: Promise<T>): Promise<T> {
  return await asking.catch((error: unknown) => {
    throw isAgentError(error, 'SEND_REFUSED') ? fail('PLATFORM_AUTH', { platform, detail: String(error.params.detail) }) : error
  })
}
