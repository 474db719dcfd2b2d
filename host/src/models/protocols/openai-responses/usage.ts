import type { Usage } from '@agent/plugin-sdk'
import { count } from '../count.ts'
import type { ResponsesUsage } from './wire.ts'

export function readResponsesUsage(usage: ResponsesUsage | null | undefined): Usage {
  return {
    input: count(usage?.input_tokens),
    output: count(usage?.output_tokens),
    cacheRead: count(usage?.input_tokens_details?.cached_tokens),
    cacheWrite: 0,
    reasoning: count(usage?.output_tokens_details?.reasoning_tokens),
  }
}
