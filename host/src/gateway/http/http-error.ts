import type { HttpReply } from '@agent/plugin-sdk'
import { fromWireError, toWireError } from '@agent/plugin-sdk/errors'

/** The envelope that OpenAI clients read, for what fails before or outside a handler. */
export function errorReply(error: unknown): HttpReply {
  const known = fromWireError(toWireError(error))
  const type = known.status < 500 ? 'invalid_request_error' : 'server_error'
  const code = known.code.replace(/^HTTP_/, '').toLowerCase()
  const wait = known.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(known.retryAfterMs / 1000)) }
  return {
    status: known.status,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', ...wait },
    body: JSON.stringify({ error: { message: known.message, type, param: null, code } }),
  }
}
