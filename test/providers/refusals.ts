import type { ErrorCode, ModelErrorClass } from '@agent/plugin-sdk'

/** A refusal for each class; only a broken connection has nobody who refuses. */
export const refusals: Readonly<
  Record<Exclude<ModelErrorClass, 'disconnected'>, readonly [status: number, message: string, code: ErrorCode]>
> = {
  auth: [401, 'Incorrect API key provided', 'MODEL_AUTH'],
  billing: [402, 'Insufficient credits', 'MODEL_BILLING'],
  rate_limit: [429, 'Rate limit reached for requests', 'MODEL_RATE_LIMIT'],
  overloaded: [503, 'Service unavailable', 'MODEL_OVERLOADED'],
  server_error: [500, 'Internal server error', 'MODEL_SERVER_ERROR'],
  timeout: [408, 'Request timeout', 'MODEL_TIMEOUT'],
  context_overflow: [400, "This model's maximum context length is 8192 tokens", 'MODEL_CONTEXT_OVERFLOW'],
  payload_too_large: [413, 'Request exceeds the maximum size', 'MODEL_PAYLOAD_TOO_LARGE'],
  image_too_large: [400, 'messages.0.content.1.image: image exceeds 5 MB maximum', 'MODEL_IMAGE_TOO_LARGE'],
  model_not_found: [404, 'The model `gpt-9` does not exist', 'MODEL_NOT_FOUND'],
  provider_policy_blocked: [403, 'Country, region, or territory not supported', 'MODEL_PROVIDER_POLICY_BLOCKED'],
  content_policy_blocked: [400, 'The prompt was filtered due to the content management policy', 'MODEL_CONTENT_POLICY_BLOCKED'],
  format_error: [422, 'extra inputs are not permitted', 'MODEL_FORMAT_ERROR'],
  thinking_signature: [400, 'messages.1.content.0: Invalid `signature` in `thinking` block', 'MODEL_THINKING_SIGNATURE'],
  llama_cpp_grammar_pattern: [400, 'failed to parse grammar', 'MODEL_LLAMA_CPP_GRAMMAR_PATTERN'],
  unknown: [404, '404 page not found', 'MODEL_UNKNOWN'],
}
