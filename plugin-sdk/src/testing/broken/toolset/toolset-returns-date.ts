import { box } from '../sound-toolset.ts'

// Breaks `border`: a Date does not cross.
export default box({
  put: async ({ args }: { args: { text?: string } }) =>
    args.text === undefined
      ? { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'put', detail: 'nothing to put' } } }
      : { ok: true, text: 'put', data: { at: new Date(0) as never } },
})
