import { fail } from '@agent/plugin-sdk/errors'
import type { ContextWorld } from '@agent/plugin-sdk/testing'

const notes = ['## Goal', 'Know which boats are where.', '## Progress', '### Done', '- The piers were counted.'].join('\n')

/** What the contract suite does with this context engine. */
export async function openWorld(): Promise<ContextWorld> {
  return {
    config: {},
    models: { ask: async () => notes },
    failing: {
      config: {},
      models: {
        ask: async () => {
          throw fail('MODEL_OVERLOADED', { provider: 'test', detail: 'too many ask' })
        },
      },
    },
    silent: {
      config: {},
      models: {
        ask: (_request, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      },
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
