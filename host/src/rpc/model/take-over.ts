import type { Generations } from '#agent/reload/generations.ts'
import { hostRow } from '#kernel/catalog/kind-rows.ts'

/** Lets a running agent take the settings over that are on disk now. What else has changed waits for the next start. */
export async function takeOver(generations: Generations): Promise<void> {
  const candidate = await generations.prepare()
  const others = candidate.changes.filter(
    ({ contribution, needsRestart }) => needsRestart || hostRow(contribution.kind).reads === undefined,
  )
  generations.adopt(candidate, new Set(others.map(({ key }) => key)))
}
