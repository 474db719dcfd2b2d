import type { HttpReply } from '@agent/plugin-sdk'

export function busy(retryAfterMs: number): HttpReply {
  return reply(503, 'busy', {}, retryAfter(retryAfterMs))
}

export function retryAfter(ms: number): Readonly<Record<string, string>> {
  return { 'Retry-After': String(Math.max(Math.ceil(ms / 1000), 1)) }
}

/** Every answer is JSON with one word. */
export function reply(
  status: number,
  word: string,
  more: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify({ status: word, ...more }) }
}
