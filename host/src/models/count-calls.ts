import type { Call, ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Beneficiary } from '#store/usage.ts'
import type { Book, Booking } from './book.ts'
import type { ChatModel, Models } from './open.ts'
import { createTally, estimateInput } from './tally.ts'

export interface CountedCalls {
  readonly book: Book
  /** What the calls are for, in the place of a door. */
  readonly source: string
  /** Absent: no conversation. */
  readonly served?: Beneficiary | undefined
}

/** Models whose calls belong to no turn, and are booked and written down all the same. */
export function countCalls(models: Pick<Models, 'model'>, counted: CountedCalls): Pick<Models, 'model'> {
  return { model: async (choice) => countStream(await models.model(choice), counted) }
}

function countStream(opened: ChatModel, { book, source, served }: CountedCalls): ChatModel {
  const { provider, model } = opened
  const { session, job } = served ?? { session: '' }
  const planned = { source, person: '', ...(job === undefined ? {} : { job }), provider, model }

  async function* streamBooked(entry: Booking, asked: ModelRequest, call: Call): AsyncGenerator<ModelEvent> {
    const { mostOutput } = entry
    const request = mostOutput === undefined ? asked : { ...asked, maxOutputTokens: mostOutput }
    const tally = createTally(request)
    // Those who listen may go away in the middle.
    let wasRefused = false
    try {
      for await (const event of opened.stream(request, call)) {
        tally.hear(event)
        wasRefused = event.type === 'failed' && !tally.took().isEstimated
        yield event
      }
    } finally {
      const { usage, isEstimated } = tally.took()
      // One that was refused is none.
      await entry.settle(wasRefused ? undefined : { session, ...planned, usage, calls: 1, ...(isEstimated ? { estimated: 1 } : {}) })
    }
  }

  return {
    ...opened,
    async *stream(request, call) {
      const estimate = (): { input: number; output: number | undefined } => ({
        input: estimateInput(request),
        output: request.maxOutputTokens,
      })
      const entry = await book.open({ ...planned, estimate }).catch((error: unknown) => {
        if (isAgentError(error)) return error
        throw error
      })
      if (entry instanceof Error) yield { type: 'failed', class: 'billing', error: toWireError(entry) }
      else yield* streamBooked(entry, request, call)
    },
  }
}
