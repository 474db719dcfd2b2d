import type { WireError } from '@agent/plugin-sdk'
import type { JobRun } from '#store/jobs.ts'
import type { PostedPart } from '#store/journal.ts'

/** A job answers in no more places than this. */
export const mostTargets = 20

/** Under which id what a run says is posted to its nth target: the same again adds nothing. */
export const postIdOf = (run: number, target: number): string => `jobrun_${run}_${target}`

/** What has become of an answer that was queued; nothing while a platform still has it before it. */
export async function settledDelivery(
  { seq, delivery }: Pick<JobRun, 'seq' | 'delivery'>,
  posted: (id: string) => Promise<readonly PostedPart[]>,
): Promise<{ readonly delivery?: 'sent' | 'failed'; readonly deliveryError?: WireError | null }> {
  if (delivery !== 'queued') return {}
  const parts: PostedPart[] = []
  for (let target = 0; target < mostTargets; target++) {
    const found = await posted(postIdOf(seq, target))
    if (found.length === 0) break
    parts.push(...found)
  }
  if (parts.length === 0 || parts.some(({ state }) => state === 'waiting')) return {}
  const bad = parts.find(({ state }) => state !== 'sent')
  return bad ? { delivery: 'failed', deliveryError: bad.error ?? null } : { delivery: 'sent' }
}
