import type { Place } from './place.ts'

/** A change that no test noticed, or that is known to stay unnoticed. */
export interface Change extends Place {
  readonly replacement: string
}

export interface Survivor extends Change {
  /** Why no test can notice it, or none should. */
  readonly reason: string
}

export interface Tried extends Change {
  readonly line: number
  readonly noticed: boolean
  /** Noticed by nothing but the time that its tests took; on a busy machine that may be chance. */
  readonly late?: boolean
}

export interface Verdict {
  readonly tried: number
  readonly noticed: number
  /** Of those that were noticed. */
  readonly late: number
  /** Unnoticed with a line in the list of survivors: these do not count. */
  readonly listed: number
  readonly unlisted: readonly Tried[]
  /** Lines of the list whose change is noticed now. */
  readonly removable: readonly Survivor[]
  /** Of those that count, 0 to 1. */
  readonly share: number
}

export function judge(all: readonly Tried[], survivors: readonly Survivor[]): Verdict {
  const known = new Set(survivors.map(keyOf))
  const unnoticed = all.filter((each) => !each.noticed)
  const unlisted = unnoticed.filter((each) => !known.has(keyOf(each)))
  const open = new Set(unnoticed.map(keyOf))
  const noticed = new Set(all.filter((each) => each.noticed).map(keyOf))
  const count = all.length - unnoticed.length
  return {
    tried: all.length,
    noticed: count,
    late: all.filter((each) => each.noticed && each.late).length,
    listed: unnoticed.length - unlisted.length,
    unlisted,
    removable: survivors.filter((each) => noticed.has(keyOf(each)) && !open.has(keyOf(each))),
    share: count + unlisted.length === 0 ? 1 : count / (count + unlisted.length),
  }
}

function keyOf({ where, original, replacement }: Change): string {
  return [where, original, replacement].join('\n')
}
