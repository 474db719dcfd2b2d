import type { Log } from '@agent/plugin-sdk'
import type { SessionTitles } from '#models/titles/write-titles.ts'
import type { Review, Reviews } from './reviews.ts'

export interface ReviewsOptions {
  /** Loads what looks through conversations; it is asked for with the first turn after which something may. */
  readonly load: () => Promise<readonly Review[]>
  /** Whether anything may, as the settings are now. */
  readonly isOn: () => boolean
  readonly log: Log
}

/** What turns tell of their ends, told to reviews too. */
export function withReviews(titles: SessionTitles, { load, isOn, log }: ReviewsOptions): SessionTitles {
  let opened: Promise<Reviews> | undefined
  let reviews: Reviews | undefined
  const open = async (): Promise<Reviews> => {
    const [{ createReviews }, kinds] = await Promise.all([import('./reviews.ts'), load()])
    reviews = createReviews(kinds, log)
    return reviews
  }
  return {
    ...titles,
    begins: (session) => {
      titles.begins(session)
      reviews?.begins(session)
    },
    ended: (turn, stored, end) => {
      titles.ended(turn, stored, end)
      const { session, request, toolTurn, messages, from } = turn
      if (!isOn() || toolTurn === undefined) return
      opened ??= open()
      void opened.then((ready) => ready.ended({ session, request, toolTurn, messages, from }, end))
    },
    close: async () => {
      await titles.close()
      await (await opened)?.close()
    },
  }
}
