import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { readAnswer } from '#kernel/read-answer.ts'

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined where the answer is no JSON. */
  readonly body: unknown
}

export interface JsonRequest {
  /** What is sent; absent: nothing, and it is a GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Only its head is wanted. */
  readonly headOnly?: true
}

/** Asks an address that a server has named. Rejects with LOGIN_FAILED where it is not to be asked, or cannot be. */
export type AskJson = (address: string, request?: JsonRequest) => Promise<JsonAnswer>

interface Options {
  /** The MCP server that is logged in to. */
  readonly server: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Rejects where an address is not to be asked. */
  readonly guard: (address: string) => Promise<void>
}

const requestMs = 15_000
const mostBytes = 256 * 1024

/** Redirects are not followed: they would lead past the guard, or carry a secret elsewhere. */
export function createAskJson({ server, clock, signal, guard }: Options): AskJson {
  const refuse = (detail: string): Error => fail('LOGIN_FAILED', { provider: server, detail })
  return async (address, { body, headers = {}, headOnly } = {}) => {
    await guard(address)
    const { host } = new URL(address)
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    try {
      return await withTimeLimit({ clock, signal, ms: requestMs, what: `An answer of ${host}` }, async (limited) => {
        const accept = 'application/json, text/event-stream;q=0.5'
        const response = await fetch(address, { ...sent, headers: { accept, ...type, ...headers }, redirect: 'manual', signal: limited })
        const { status, headers: head } = response
        if (headOnly) {
          await response.body?.cancel()
          return { status, headers: head, body: undefined }
        }
        if (status >= 300 && status < 400) throw refuse(`${host} sends elsewhere, where nobody has said who it is`)
        // What is asked for may well be there.
        if (body === undefined && (status >= 500 || status === 429))
          throw refuse(`${host} cannot answer now (HTTP ${status}); try again later`)
        const bytes = await readAnswer(response, mostBytes)
        if (!bytes) throw refuse(`the answer of ${host} is too long`)
        return { status, headers: head, body: parse(new TextDecoder().decode(bytes)) }
      })
    } catch (error) {
      signal.throwIfAborted()
      if (isAgentError(error)) throw error
      const { cause } = error as { readonly cause?: unknown }
      throw fail('LOGIN_FAILED', { provider: server, detail: `${host} cannot be reached (${detailOf(cause ?? error)})` }, { cause: error })
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
