import type { Book } from '#models/book.ts'
import type { BookPicture } from '#tools/images/images.ts'

/** Tokens of a large picture at the services that count most for it. */
const largePicture = 6300

/** Pictures in the book of model calls, under the name of their model. */
export function createBookPicture(book: Book): BookPicture {
  return async ({ provider, model, prompt, call }) => {
    const { session, job } = book.served.of(call)
    const planned = { source: 'image', person: '', job, provider, model }
    const thought = { input: Math.ceil(prompt.length / 4), output: largePicture }
    const entry = await book.open({ ...planned, estimate: () => thought })
    return {
      async settle(took) {
        if (took === 'nothing') return await entry.settle(undefined)
        const { input, output } = took === 'unknown' ? thought : took
        const usage = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
        const isEstimated = took === 'unknown' ? { estimated: 1 } : {}
        await entry.settle({ session, ...planned, usage, calls: 1, ...isEstimated })
      },
    }
  }
}
