import type { Usage } from '@agent/plugin-sdk'
import { count } from '../count.ts'
import type { ChatUsage } from './wire.ts'

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

export function readChatUsage(usage: ChatUsage): Usage {
  return {
    input: count(usage.prompt_tokens),
    output: count(usage.completion_tokens),
    cacheRead: count(usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWrite: count(usage.prompt_tokens_details?.cache_write_tokens),
    reasoning: count(usage.completion_tokens_details?.reasoning_tokens),
  }
}
