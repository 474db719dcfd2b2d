import { fail } from '../../../contract/errors.ts'
import { box } from '../sound-toolset.ts'

// Breaks `result`: an ordinary failure is thrown.
export default box({
  put: async ({ args }: { args: { text?: string } }) => {
    if (args.text === undefined) throw fail('TOOL_FAILED', { tool: 'put', detail: 'nothing to put' })
    return { ok: true, text: `put ${args.text}` }
  },
})
