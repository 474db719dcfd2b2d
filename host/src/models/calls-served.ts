import type { Call } from '@agent/plugin-sdk'
import type { Beneficiary } from '#store/usage.ts'

type Named = Pick<Call, 'id'>

/** What calls of plugins work for. One that asks a model names its call, and nothing else: whom that serves is not its to say. */
export interface CallsServed {
  /** Says it for as long as the call runs. */
  during<T>(call: Named, served: Beneficiary, run: () => Promise<T>): Promise<T>
  /** No conversation and no job, where nobody has said it. */
  of(call: Named): Beneficiary
}

export function createCallsServed(): CallsServed {
  const running = new Map<string, Beneficiary>()
  return {
    async during({ id }, served, run) {
      running.set(id, served)
      try {
        return await run()
      } finally {
        running.delete(id)
      }
    },
    of: ({ id }) => running.get(id) ?? { session: '' },
  }
}
