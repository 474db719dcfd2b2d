import type { AnyContribution } from '#kernel/catalog/catalog.ts'
import type { Fingerprint } from './fingerprint.ts'

/** A contribution as it was found. */
export interface Known {
  readonly contribution: AnyContribution
  readonly print: Fingerprint
  /** Its code runs in this process. */
  readonly inProcess: boolean
}

/** What a reload does to one contribution. */
export interface Change {
  readonly key: string
  readonly contribution: AnyContribution
  readonly type: 'added' | 'removed' | 'changed'
  /** What ran until now. */
  readonly before?: AnyContribution
  /** What shall run. */
  readonly after?: AnyContribution
  /** It would need other code in this process, which only a start brings. */
  readonly needsRestart: boolean
}

export function keyOf({ kind, id }: Pick<AnyContribution, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

/** What differs between two generations; what does not is not named. */
export function compare(before: ReadonlyMap<string, Known>, after: ReadonlyMap<string, Known>): readonly Change[] {
  const changes: Change[] = []
  for (const [key, { contribution }] of before)
    if (!after.has(key)) changes.push({ key, contribution, type: 'removed', before: contribution, needsRestart: false })
  for (const [key, { contribution, print, inProcess }] of after) {
    const old = before.get(key)
    if (!old) changes.push({ key, contribution, type: 'added', after: contribution, needsRestart: false })
    else if (old.print.whole !== print.whole) {
      const needsRestart = inProcess && old.inProcess && old.print.code !== print.code
      changes.push({ key, contribution, type: 'changed', before: old.contribution, after: contribution, needsRestart })
    }
  }
  return changes
}
