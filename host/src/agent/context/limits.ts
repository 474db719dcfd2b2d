import type { Config } from '#config/schema/schema.ts'

type Settings = Pick<Config['compression'], 'threshold' | 'threshold_tokens' | 'target_ratio'>

/** From how many tokens on a conversation is made shorter. */
export function limitOf({ threshold, threshold_tokens: most }: Settings, window: number): number {
  const share = Math.floor(window * Math.min(threshold, wholeShare))
  return most === 0 ? share : Math.min(share, most)
}

/** So much of a window is filled at the most: the rest is for the answer. */
const wholeShare = 0.9

/** The same for a conversation that its caller keeps: it is made shorter where it would not fit. */
export const fullLimit = (window: number): number => Math.floor(window * wholeShare)

/** The least that a conversation is given: fewer tokens hold no notes and no question. */
const leastRoom = 500

/** How many tokens the messages may take afterwards: a share of the limit for what stays as it is, and room for notes. */
export function roomOf(
  { target_ratio: ratio }: Settings,
  { limit, window, fixed }: { readonly limit: number; readonly window: number; readonly fixed: number },
): number {
  const notes = Math.min(12_000, Math.max(window * 0.05, Math.min(2000, limit * 0.2)))
  return Math.floor(Math.max(leastRoom, Math.min(limit * ratio + notes, (limit - fixed) * 0.9)))
}
