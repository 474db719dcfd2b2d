import type { Clock, Log, Notice, TurnEvent } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import type { Claim, Journal } from '#store/journal.ts'
import type { Leases } from '#store/leases.ts'
import type { Sessions } from '#store/sessions.ts'
import { untilWritten } from '#store/until-written.ts'
import type { Background } from './background.ts'
import { describeChild, noteOf, sayChild } from './child-note.ts'
import { concludeLost } from './conclude-children.ts'

export interface LeftBehindOptions {
  readonly journal: Pick<Journal, 'keepPlaceIn' | 'tellChild' | 'claimTold' | 'answer' | 'release'>
  readonly leases: Pick<Leases, 'hold' | 'release'>
  readonly sessions: Pick<Sessions, 'find' | 'end' | 'endChildren'>
  readonly tell: (notice: Notice) => void
  readonly clock: Clock
  readonly log: Log
}

/** Child agents that work behind the turns of sessions which no platform leads: those of the terminal, the dashboard and editors. */
export interface LeftBehind {
  /** How the turns of a session let them work on; `hear` takes what they ask meanwhile. */
  of(session: string, hear: (event: TurnEvent) => void): Background
  /** What came of those of a session that no turn of it has heard. */
  take(session: string): Promise<ToldChildren>
  /** Interrupts them, and waits until that is written down. */
  close(): Promise<void>
}

export interface ToldChildren {
  readonly texts: readonly string[]
  /** How many child agents there were in their trees, at most. */
  readonly spawned: number
  /** They wait again where the turn did not come so far that its session keeps them. Never rejects. */
  settle(isHeard: boolean): Promise<void>
}

const leaseMs = 30_000

export function openLeftBehind(options: LeftBehindOptions): LeftBehind {
  const { journal, leases, clock, log } = options
  // While it holds a lease, what it has claimed works; without it the next turn takes that for lost.
  const owner = newId('boot')
  const stop = new AbortController()
  const working = new Map<Promise<void>, string>()
  let renewing: Promise<void> | undefined
  const hold = async (): Promise<void> => void (await leases.hold(owner, owner, leaseMs))
  const renew = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(leaseMs / 3, stop.signal)
      await untilWritten(options, stop.signal, hold)
    }
  }
  const begin = async (): Promise<void> => {
    await hold()
    renewing ??= renew().catch((error: unknown) => {
      if (!stop.signal.aborted) log.error('a lease could not be renewed', { error: detailOf(error) })
    })
  }
  return {
    of: (session, hear) => ({
      working: () => [...working.values()].filter((each) => each === session).length,
      keep: async (child) => {
        stop.signal.throwIfAborted()
        await begin()
        const place = await journal.keepPlaceIn(session, owner, noteOf(child))
        let finish = (): void => undefined
        const over = new Promise<void>((resolve) => (finish = resolve))
        working.set(over, session)
        return {
          ...{ signal: stop.signal, hear },
          tell: async (end, spawned) => {
            await tell(options, { place, session, stop: stop.signal }, noteOf({ ...child, spawned }, end))
            working.delete(over)
            finish()
          },
        }
      },
    }),
    take: async (session) => toldOf(options, await journal.claimTold(session, owner)),
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await Promise.all(working.keys())
      if (!renewing) return
      await renewing
      await leases.release(owner, owner)
    },
  }
}

interface Place {
  readonly place: Claim
  readonly session: string
  readonly stop: AbortSignal
}

/** What cannot be written down is told as lost by a later program. */
async function tell(options: LeftBehindOptions, { place, session, stop }: Place, note: ReturnType<typeof noteOf>): Promise<void> {
  try {
    await untilWritten(options, stop, () => options.journal.tellChild(place, note))
  } catch (error) {
    options.log.error('what came of a child agent could not be written down', { session: note.session, error: detailOf(error) })
  }
  options.tell({ session, kind: note.end?.status === 'completed' ? 'result' : 'error', text: sayChild(note) })
}

async function toldOf({ journal, sessions, log }: LeftBehindOptions, claims: readonly Claim[]): Promise<ToldChildren> {
  const notes = claims.flatMap(({ child }) => child ?? [])
  const lost = notes.filter(({ end }) => end === undefined)
  await concludeLost(
    sessions,
    lost.map(({ session }) => ({ type: 'child', session })),
  )
  return {
    texts: notes.map(describeChild),
    spawned: Math.max(0, ...notes.map(({ spawned }) => spawned)),
    settle: async (isHeard) => {
      for (const claim of claims)
        await (isHeard ? journal.answer(claim, { outbound: [], turn: null }) : journal.release(claim)).catch((error: unknown) =>
          log.warn('a child agent may be told once more', { session: claim.child?.session, error: detailOf(error) }),
        )
    },
  }
}
