import type { CommandRequest, OpenCommands } from '@agent/plugin-sdk'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { createPluginCalls, type PluginCallsOptions } from './calls/plugin-calls.ts'

export interface PluginCommands {
  /** Runs a command without a prompt. */
  run(contribution: Contribution<'commands'>, request: CommandRequest, signal: AbortSignal): Promise<string>
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<'commands'>): Promise<void>
  close(): Promise<void>
}

/** Commands of plugins: loaded when the first one is given. */
export function createPluginCommands(options: PluginCallsOptions<'commands'>): PluginCommands {
  const { call, retire, close } = createPluginCalls<'commands', OpenCommands>(options)
  return {
    retire,
    close,
    run: (contribution, request, signal) =>
      call(contribution, {
        ...{ what: `/${request.name}`, signal },
        run: async (opened, bounds) => {
          const answer = await opened.run(request, bounds)
          if (typeof answer?.text === 'string') return answer.text
          throw new Error('it answered with something that is no text')
        },
      }),
  }
}
