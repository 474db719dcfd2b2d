import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { UsageLedger } from '#store/usage.ts'
import type { ChatModel, Models } from './open.ts'
import { createTally, type Took } from './tally.ts'

export interface CountedCalls {
  readonly usage: Pick<UsageLedger, 'add'>
  /** What the calls are for, in the place of a door. */
  readonly source: string
  readonly log: Pick<Log, 'warn'>
}

/** Models whose calls belong to no turn, and are written down all the same. */
export function countCalls(models: Pick<Models, 'model'>, counted: CountedCalls): Pick<Models, 'model'> {
  return { model: async (choice) => countStream(await models.model(choice), counted) }
}

function countStream(opened: ChatModel, { usage: ledger, source, log }: CountedCalls): ChatModel {
  const { provider, model } = opened
  const write = async ({ usage, isEstimated }: Took): Promise<void> => {
    const spent = { session: '', source, person: '', provider, model, usage, calls: 1, ...(isEstimated ? { estimated: 1 } : {}) }
    await ledger
      .add([spent])
      .catch((error: unknown) => log.warn('what a model call took could not be written down', { error: detailOf(error) }))
  }
  return {
    ...opened,
    async *stream(request, call) {
      const tally = createTally(request)
      // Those who listen may go away in the middle.
      let isWritten = false
      try {
        for await (const event of tally.listen(opened.stream(request, call))) {
          isWritten = event.type === 'end' || event.type === 'failed'
          // One that was refused is none.
          if (event.type === 'end' || (event.type === 'failed' && tally.took().isEstimated)) await write(tally.took())
          yield event
        }
      } finally {
        if (!isWritten) await write(tally.took())
      }
    },
  }
}
