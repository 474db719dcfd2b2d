/** A child agent that works now. */
export interface RunningChild {
  readonly id: string
  /** Which child of its session it is, from 1 on. */
  readonly number: number
  readonly session: string
  /** The session of the agent that it works for. */
  readonly parent: string
  readonly depth: number
  /** Which model answers; empty before its turn begins. */
  model: string
  readonly goal: string
  readonly startedAt: number
  /** The tool that it called last; empty before its first. */
  doing: string
  /** How many tools it called. */
  calls: number
  /** Whom its tree works for; absent: the owner of this machine, or nobody that could be told from others. */
  readonly person?: string
  /** Interrupts it; its parent goes on. */
  stop(): void
  /** Words that it hears with the result of its next tool; one that ends before never hears them. */
  say(text: string): void
}

/** The child agents that work now, by the session of the person's turn that they work for. */
export interface Children {
  add(root: string, child: RunningChild): Disposable
  /** In the order in which they began. */
  of(root: string): readonly RunningChild[]
  /** Those of all sessions. */
  all(): readonly RunningChild[]
}

/** A number that no other child agent of the session has now: some work on from a turn before. */
export function freeNumber(running: readonly Pick<RunningChild, 'number'>[], wanted: number): number {
  const taken = running.map(({ number }) => number)
  return taken.includes(wanted) ? Math.max(...taken) + 1 : wanted
}

export function createChildren(): Children {
  const running = new Map<string, Set<RunningChild>>()
  return {
    add(root, child) {
      const those = running.get(root) ?? new Set()
      running.set(root, those.add(child))
      const remove = (): void => {
        those.delete(child)
        if (those.size === 0) running.delete(root)
      }
      return { [Symbol.dispose]: remove }
    },
    of: (root) => [...(running.get(root) ?? [])],
    all: () => [...running.values()].flatMap((those) => [...those]),
  }
}
