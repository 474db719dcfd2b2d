import type { HttpReply } from '@agent/plugin-sdk'
import { type AgentError, fromWireError, toWireError } from '@agent/plugin-sdk/errors'

/** Codes that clients know under another name; every other one leaves in lower case. */
const clientCodes: Readonly<Record<string, string>> = {
  HTTP_BAD_JSON: 'invalid_json',
  HTTP_INVALID: 'invalid_request',
  HTTP_CONTENT_TYPE: 'unsupported_media_type',
  HTTP_CONTENT_UNSUPPORTED: 'unsupported_content_type',
  HTTP_IMAGE_URL: 'invalid_image_url',
  HTTP_CONTENT_PART: 'invalid_content_part',
  HTTP_BODY_TOO_LARGE: 'body_too_large',
  HTTP_KEY_INVALID: 'invalid_api_key',
  HTTP_SESSION_KEYLESS: 'session_needs_key',
  HTTP_ORIGIN: 'origin_not_allowed',
  HTTP_HOST: 'host_not_allowed',
  HTTP_NOT_FOUND: 'not_found',
  HTTP_METHOD: 'method_not_allowed',
  HTTP_APPROVALS_KEYLESS: 'approvals_need_key',
  HTTP_IDEMPOTENCY: 'idempotency_key_conflict',
  HTTP_RUN_NOT_ASKING: 'run_not_asking',
  HTTP_RESPONSE_PENDING: 'response_pending',
  HTTP_TOO_MANY: 'rate_limit_exceeded',
  // By this name clients know that they have to shorten their history.
  MODEL_CONTEXT_OVERFLOW: 'context_length_exceeded',
}

/** Any error with the status and sentence of the table. */
export const toAgentError = (error: unknown): AgentError => fromWireError(toWireError(error))

/** What the agent refuses without knowing how the client's field is called. */
export type FieldNames = { readonly [Code in 'RESPONSE_FORMAT' | 'RESULT_UNCLAIMED']: string }

export function nameField(error: unknown, names: FieldNames): AgentError {
  const wire = toWireError(error)
  if (wire.code !== 'RESPONSE_FORMAT' && wire.code !== 'RESULT_UNCLAIMED') return fromWireError(wire)
  return fromWireError({ ...wire, params: { ...wire.params, param: names[wire.code] } })
}

/** The name of an error in answers. */
export const clientCode = (error: AgentError): string => clientCodes[error.code] ?? error.code.toLowerCase()

/** `{"error": …}` as JSON text. */
export function formatEnvelope(error: AgentError): string {
  return JSON.stringify({
    error: {
      message: error.message,
      type: error.status < 500 ? 'invalid_request_error' : 'server_error',
      param: error.params.param ?? null,
      code: clientCode(error),
    },
  })
}

/** The reply to a request that was refused. */
export function failureReply(error: AgentError): HttpReply {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  if (error.retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000))
  return { status: error.status, headers, body: formatEnvelope(error) }
}

/** The reply to a turn that failed. The agent has retried already, and its tools may have run: the client must not repeat it unasked. */
export function turnFailureReply(error: AgentError): HttpReply {
  const reply = failureReply(error)
  return { ...reply, headers: { ...reply.headers, 'x-should-retry': 'false' } }
}
