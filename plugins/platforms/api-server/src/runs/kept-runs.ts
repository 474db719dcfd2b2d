import type { Clock } from '@agent/plugin-sdk'
import type { Run } from './run.ts'

const dayMs = 86_400_000
const eventsKeptMs = 300_000
const keptRuns = 1_000
/** Characters of all that is kept of runs. */
const keptWeight = 64_000_000

/** A name that a client gave to the request for a run. */
export interface Named {
  readonly fingerprint: string
  readonly run: string
  readonly at: number
}

/** The runs that clients can still ask for. Both maps are in the order of their beginning. */
export interface KeptRuns {
  readonly byId: Map<string, Run>
  readonly names: Map<string, Named>
  /** Gives up what is too old, and the oldest of what is too much. */
  sweep(): void
}

export function createKeptRuns(clock: Clock): KeptRuns {
  const byId = new Map<string, Run>()
  const names = new Map<string, Named>()

  const isOver = (at: number, { size }: { readonly size: number }): boolean => {
    const age = clock.now() - at
    return age >= dayMs || (age > 0 && size > keptRuns)
  }

  function sweepRuns(): void {
    let weight = [...byId.values()].reduce((sum, run) => sum + run.weight(), 0)
    for (const [id, run] of byId) {
      const { endedAt, log } = run
      if (endedAt === undefined) continue
      if (isOver(endedAt, byId) || weight > keptWeight) {
        weight -= run.weight()
        byId.delete(id)
      } else if (clock.now() - endedAt >= eventsKeptMs) log.forget()
    }
  }

  return {
    byId,
    names,
    sweep() {
      sweepRuns()
      for (const [name, { at }] of names) if (isOver(at, names)) names.delete(name)
    },
  }
}
