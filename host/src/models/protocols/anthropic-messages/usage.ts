import type { Usage } from '@agent/plugin-sdk'
import { count } from '../count.ts'
import type { MessagesUsage } from './wire.ts'

/** The vendor counts cached tokens apart; here `input` includes them. Later figures replace earlier ones. */
export function readMessagesUsage(parts: readonly MessagesUsage[]): Usage {
  const all: MessagesUsage = Object.assign({}, ...parts.map(withoutNulls))
  const cacheRead = count(all.cache_read_input_tokens)
  const cacheWrite = count(all.cache_creation_input_tokens)
  return { input: count(all.input_tokens) + cacheRead + cacheWrite, output: count(all.output_tokens), cacheRead, cacheWrite, reasoning: 0 }
}

function withoutNulls(usage: MessagesUsage): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
}
