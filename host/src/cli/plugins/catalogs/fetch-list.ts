import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'

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

async function get(from: URL, { fetch, clock, signal }: FetchListOptions): Promise<Buffer> {
  try {
    return await withTimeLimit({ clock, signal, ms: patienceMs, what: from.pathname }, async (within) => {
      const response = await fetch(from, { signal: within, redirect: 'error' })
      if (!response.ok) throw new Error(`is answered with ${response.status} for ${from.pathname}`)
      const parts: Uint8Array[] = []
      let bytes = 0
      for await (const part of response.body ?? []) {
        bytes += part.byteLength
        if (bytes > mostBytes) throw new Error(`is larger than ${mostBytes / 1024 / 1024} MiB`)
        parts.push(part)
      }
      return Buffer.concat(parts)
    })
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof Error && /^is /.test(error.message)) throw error
    // The words of `fetch` are in its cause.
    throw new Error(`does not answer: ${detailOf(error instanceof Error ? (error.cause ?? error) : error)}`, { cause: error })
  }
}
