import type { SessionTitles } from '#models/titles/write-titles.ts'
import type { MemoryReview, MemoryReviewOptions } from './review-memory.ts'

/** What turns tell of their ends, told to the review of the memory too. It is loaded with the first turn after which there is one. */
export function withReview(titles: SessionTitles, options: MemoryReviewOptions): SessionTitles {
  let opened: Promise<MemoryReview> | undefined
  let review: MemoryReview | undefined
  const open = async (): Promise<MemoryReview> => {
    const { createMemoryReview } = await import('./review-memory.ts')
    review = createMemoryReview(options)
    return review
  }
  return {
    ...titles,
    begins: (session) => {
      titles.begins(session)
      review?.begins(session)
    },
    ended: (turn, stored, end) => {
      titles.ended(turn, stored, end)
      const { session, request, toolTurn } = turn
      if (options.every() === 0 || toolTurn === undefined) return
      opened ??= open()
      void opened.then((ready) => ready.ended({ session, request, toolTurn }, end))
    },
    close: async () => {
      await titles.close()
      await (await opened)?.close()
    },
  }
}
