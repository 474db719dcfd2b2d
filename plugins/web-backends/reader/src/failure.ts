import { type AgentError, fail } from '@agent/plugin-sdk/errors'

/** Why a page is not read; the words name its address. */
export function failure(detail: string): AgentError {
  return fail('PLUGIN_FAILED', { plugin: 'web-backend-reader', during: 'reading a page', detail })
}
