import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { UsageLedger } from '#store/usage.ts'
import type { ChatModel, Models } from './open.ts'

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

function countStream(opened: ChatModel, { usage, source, log }: CountedCalls): ChatModel {
  const { provider, model } = opened
  return {
    ...opened,
    async *stream(request, call) {
      for await (const event of opened.stream(request, call)) {
        if (event.type === 'end')
          await usage
            .add([{ session: '', source, person: '', provider, model, usage: event.usage, calls: 1 }])
            .catch((error: unknown) => log.warn('what a model call took could not be written down', { error: detailOf(error) }))
        yield event
      }
    },
  }
}
