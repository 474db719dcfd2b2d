import { box } from '../sound-toolset.ts'

// Breaks `progress`: it still reports after the result.
export default box({
  put: async ({ args, progress }: { args: { text?: string }; progress(text: string): void }) => {
    queueMicrotask(() => queueMicrotask(() => setImmediate(() => progress('still putting'))))
    return args.text === undefined
      ? { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'put', detail: 'nothing to put' } } }
      : { ok: true, text: 'put' }
  },
})
