import type { Clock } from '@agent/plugin-sdk'

/** A program that answers many requests a second need not look at the same files for each of them. */
const keptMs = 1000

/** What was read is good for a second, as long as it is asked for under the same key. Where `read` throws, nothing is kept. */
export function keepShortly<Value>({ now }: Pick<Clock, 'now'>, keyOf: () => string, read: () => Value): () => Value {
  let kept: { readonly key: string; readonly at: number; readonly value: Value } | undefined
  return () => {
    const [key, at] = [keyOf(), now()]
    if (kept?.key !== key || at - kept.at >= keptMs || at < kept.at) kept = { key, at, value: read() }
    return kept.value
  }
}
