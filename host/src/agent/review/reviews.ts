import type { Log, ModelMessage, TurnRequest, TurnStatus } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'

/** A turn that is over. */
export interface ReviewedTurn {
  readonly session: string
  readonly request: Pick<TurnRequest, 'canAnswer' | 'store' | 'history'>
  readonly toolTurn: {
    readonly owner: string
    readonly isChild?: boolean
    readonly tools?: ReadonlySet<string>
    readonly reachable?: ReadonlySet<string>
  }
  /** What its model had heard and said at its end. */
  readonly messages?: readonly ModelMessage[] | undefined
  /** Index of the first message of the turn among them. */
  readonly from?: number | undefined
}

/** Looks through a conversation for something that people may want to keep. */
export interface Review {
  readonly purpose: string
  /** Whether the turn is a reason for it; `isDue` where an earlier one was, and the review was put off. */
  wants(turn: ReviewedTurn, isDue: boolean): boolean
  run(turn: ReviewedTurn, how: { readonly signal: AbortSignal; readonly isDue: boolean }): Promise<void>
}

export interface Reviews {
  /** A turn begins: a review of its session would keep a local model from the answer, and is put off. */
  begins(session: string): void
  ended(turn: ReviewedTurn, end: { readonly status: TurnStatus }): void
  /** Gives up what runs; resolves when nothing does. */
  close(): Promise<void>
}

interface Running {
  readonly controller: AbortController
  /** What has not come to its end. */
  readonly left: Set<Review>
  /** What was put off before. */
  readonly due: ReadonlySet<Review>
}

/** Runs reviews beside the turns, one at a time: the task `background_review`. */
export function createReviews(reviews: readonly Review[], log: Log): Reviews {
  const due = new Map<string, ReadonlySet<Review>>()
  const running = new Map<string, Running>()
  let last: Promise<void> = Promise.resolve()

  const run = async (turn: ReviewedTurn, { controller: { signal }, left, due: before }: Running): Promise<void> => {
    for (const review of [...left]) {
      if (signal.aborted) return
      try {
        await review.run(turn, { signal, isDue: before.has(review) })
      } catch (error) {
        if (signal.aborted) return
        log.info('a conversation was not looked through', { for: review.purpose, error: detailOf(error) })
      }
      left.delete(review)
    }
  }
  return {
    begins: (session) => {
      const job = running.get(session)
      if (!job) return
      due.set(session, new Set(job.left))
      job.controller.abort(fail('INTERRUPTED'))
      running.delete(session)
    },
    ended: (turn, { status }) => {
      const { session } = turn
      if (status !== 'complete' || !isOfPerson(turn) || running.has(session)) return
      const before = due.get(session) ?? new Set()
      const left = new Set(reviews.filter((review) => review.wants(turn, before.has(review))))
      if (left.size === 0) return
      due.delete(session)
      const job = { controller: new AbortController(), left, due: before }
      running.set(session, job)
      last = last.then(() => run(turn, job)).then(() => void (running.get(session) === job && running.delete(session)))
    },
    close: async () => {
      for (const { controller } of running.values()) controller.abort(fail('INTERRUPTED'))
      await last
    },
  }
}

/** What a child, a job or a program says is no word of the person whose conversation it is. */
const isOfPerson = ({ request: { canAnswer, store, history }, toolTurn }: ReviewedTurn): boolean =>
  canAnswer && store !== false && history === undefined && toolTurn.isChild !== true
