import { type AgentError, fail, toWireError } from '../contract/errors.ts'
import type { Receipt } from '../contract/messages.ts'

/** What an adapter says about a send, in the words of one platform. */
export interface Receipts {
  sent(platformId: string): Receipt
  /** It did not arrive. With a time it is tried again then. */
  refused(detail: string, retryAfterMs?: number): Receipt
  /** It may have arrived. */
  unknown(detail: string): Receipt
  /** To throw: nothing has left this machine, and it is tried again soon. */
  notSent(detail: string, cause?: unknown): AgentError
}

/** The receipts of one platform: `refused` carries SEND_REFUSED, `unknown` carries SEND_UNKNOWN. */
export function createReceipts(platform: string): Receipts {
  return {
    sent: (platformId) => ({ status: 'sent', platformId }),
    refused: (detail, retryAfterMs) => ({
      status: 'refused',
      error: toWireError(fail('SEND_REFUSED', { platform, detail }, retryAfterMs === undefined ? {} : { retryAfterMs })),
    }),
    unknown: (detail) => ({ status: 'unknown', error: toWireError(fail('SEND_UNKNOWN', { platform, detail })) }),
    notSent: (detail, cause) => fail('PLATFORM_UNREACHABLE', { platform, detail }, { cause }),
  }
}

/** What an error of `fetch` or of a socket really says; the message of fetch itself is always the same. */
export function describeError(error: unknown): { readonly detail: string; readonly code: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { message = '', code = '' } = (cause ?? {}) as { message?: string; code?: string }
  return { detail: message || code || String(error), code: String(code) }
}

const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|.*_CERT(IFICATE)?(_.*)?)$/

/** Whether an error happened before the first byte went out, so that nothing can have arrived. */
export function isBeforeSending(error: unknown): boolean {
  return beforeSending.test(describeError(error).code)
}

/** Milliseconds that `Retry-After` (seconds or a date) asks for; `usualMs` where it says nothing that can be read. */
export function parseRetryAfter(headers: Headers, now: number, usualMs = 5000): number {
  const text = headers.get('Retry-After') ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.max(Math.ceil(ms), 0) : usualMs
}
