import type { Usage } from '@agent/plugin-sdk'
import { count } from '../count.ts'
import type { ConverseUsage } from './wire.ts'

/** The vendor counts cached tokens apart; here `input` includes them. */
export function readConverseUsage(usage: ConverseUsage | undefined): Usage {
  const cacheRead = count(usage?.cacheReadInputTokens)
  const cacheWrite = count(usage?.cacheWriteInputTokens)
  return {
    input: count(usage?.inputTokens) + cacheRead + cacheWrite,
    output: count(usage?.outputTokens),
    cacheRead,
    cacheWrite,
    reasoning: 0,
  }
}
