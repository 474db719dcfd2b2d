import { hideInUrls } from '@agent/plugin-sdk/errors'

/** One request of a plugin, without its query, its headers and its body. */
export interface ToldRequest {
  readonly method: string
  /** With the port, where it is not the usual one. */
  readonly host: string
  readonly path: string
  /** Of the answer. */
  readonly status?: number
  /** Why there was none. */
  readonly error?: string
  /** Until the head of the answer was there, in milliseconds. */
  readonly ms: number
}

/** How a log calls it, and a connection. */
export const requestMessage = 'a plugin sent a request'
export const connectionMessage = 'a connection of a plugin'

/** A piece of a path that is this long, with letters and digits, may be a key: some services want theirs there. */
const mayBeKey = /^(?=.*[a-z])(?=.*\d).{20,}$/i

/** What can be told of a request; what the environment keeps secret is hidden by the log. */
export function tellRequest(
  url: string | URL,
  method: string | undefined,
  end: { readonly status: number; readonly ms: number } | { readonly error: unknown; readonly ms: number },
): ToldRequest {
  const { host, pathname } = new URL(url)
  const path = pathname.split('/').map((piece) => (mayBeKey.test(piece) ? '[hidden]' : piece))
  return {
    method: method?.toUpperCase() ?? 'GET',
    host,
    path: path.join('/'),
    ...('status' in end ? { status: end.status } : { error: hideInUrls(describe(end.error)) }),
    ms: Math.round(end.ms),
  }
}

/** The message of fetch itself is always the same. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}
