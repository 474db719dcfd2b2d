export interface PlatformVerb {
  readonly verb: 'pause' | 'resume'
  /** As the button says it. */
  readonly words: string
}

const pause: PlatformVerb = { verb: 'pause', words: 'Pause' }

/** To resume is also what tries at once, and what tries again after a failure that no waiting mends. */
const byState = new Map<string, readonly PlatformVerb[]>(
  Object.entries<readonly PlatformVerb[]>({
    starting: [pause],
    connected: [pause],
    degraded: [pause],
    retrying: [{ verb: 'resume', words: 'Try now' }, pause],
    fatal: [{ verb: 'resume', words: 'Try again' }],
    paused: [{ verb: 'resume', words: 'Resume' }],
  }),
)

/** What helps a platform in this state; nothing where no gateway keeps it. */
export function verbsFor(state: string): readonly PlatformVerb[] {
  return byState.get(state) ?? []
}

/** What waits there, in words; empty where nothing does. */
export function describeWaiting({ waiting, sending }: { readonly waiting: number; readonly sending: number }): string {
  const facts = [...(waiting > 0 ? [`${waiting} without an answer yet`] : []), ...(sending > 0 ? [`${sending} to be sent`] : [])]
  return facts.join(', ')
}
