import type { ModelErrorClass } from '@agent/plugin-sdk'

/** A record, so that the compiler knows when one is missing. */
const classes: Readonly<Record<ModelErrorClass, true>> = {
  auth: true,
  billing: true,
  rate_limit: true,
  overloaded: true,
  server_error: true,
  timeout: true,
  disconnected: true,
  context_overflow: true,
  payload_too_large: true,
  image_too_large: true,
  model_not_found: true,
  provider_policy_blocked: true,
  content_policy_blocked: true,
  format_error: true,
  thinking_signature: true,
  llama_cpp_grammar_pattern: true,
  unknown: true,
}

export function isFailureClass(name: unknown): name is ModelErrorClass {
  return typeof name === 'string' && Object.hasOwn(classes, name)
}
