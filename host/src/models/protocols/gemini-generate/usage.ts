import type { Usage } from '@agent/plugin-sdk'
import { count } from '../count.ts'
import type { GenerateUsage } from './wire.ts'

/** The vendor counts thoughts apart; here `output` includes them. */
export function readGenerateUsage(usage: GenerateUsage | undefined): Usage {
  const reasoning = count(usage?.thoughtsTokenCount)
  return {
    input: count(usage?.promptTokenCount) + count(usage?.toolUsePromptTokenCount),
    output: count(usage?.candidatesTokenCount) + reasoning,
    cacheRead: count(usage?.cachedContentTokenCount),
    cacheWrite: 0,
    reasoning,
  }
}
