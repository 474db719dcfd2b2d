import type { ArgsOf, Clock, ToolRun } from '@agent/plugin-sdk'
import type { tools } from './tools.ts'

/** Every wait takes the signal of the call, so that an interrupted turn ends at once. */
export function createWait(clock: Clock): ToolRun<ArgsOf<typeof tools, 'sample_wait'>> {
  return async ({ args, progress }, call) => {
    progress(`waiting for ${args.seconds} s`)
    await clock.sleep(args.seconds * 1000, call.signal)
    return { ok: true, text: `${args.seconds} seconds are over.` }
  }
}
