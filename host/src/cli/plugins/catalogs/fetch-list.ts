import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { readAnswer } from '#kernel/read-answer.ts'

export interface FetchListOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly signal: AbortSignal
}

const patienceMs = 10_000
const mostBytes = 4 * 1024 * 1024

/** Fetches a list and what signs it, from the address with `.sig` behind it. What is wrong is an error whose message follows "the catalog". */
export async function fetchList(url: string, options: FetchListOptions): Promise<{ readonly body: Buffer; readonly signature: string }> {
  const from = URL.canParse(url) ? new URL(url) : undefined
  if (from?.protocol !== 'https:' && from?.protocol !== 'http:') throw new Error('has no address that begins with https://')
  const sign = new URL(from)
  sign.pathname = `${sign.pathname}.sig`
  const [body, signature] = await Promise.all([get(from, options), get(sign, options)])
  return { body, signature: signature.toString('utf8') }
}

async function get(from: URL, options: FetchListOptions): Promise<Buffer> {
  const { ok, status, bytes } = await ask(from, options)
  if (!ok) throw new Error(`is answered with ${status} for ${from.pathname}`)
  if (!bytes) throw new Error(`is larger than ${mostBytes / 1024 / 1024} MiB`)
  return bytes
}

interface Answer {
  readonly ok: boolean
  readonly status: number
  /** Undefined where it is too large. */
  readonly bytes: Buffer | undefined
}

async function ask(from: URL, { fetch, clock, signal }: FetchListOptions): Promise<Answer> {
  try {
    return await withTimeLimit({ clock, signal, ms: patienceMs, what: from.pathname }, async (within) => {
      const response = await fetch(from, { signal: within, redirect: 'error' })
      return { ok: response.ok, status: response.status, bytes: await readAnswer(response, mostBytes) }
    })
  } catch (error) {
    signal.throwIfAborted()
    // The words of `fetch` are in its cause.
    throw new Error(`does not answer: ${detailOf(error instanceof Error ? (error.cause ?? error) : error)}`, { cause: error })
  }
}
