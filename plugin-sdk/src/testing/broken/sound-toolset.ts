import type { ToolRun, Toolset } from '../../kinds/toolset.ts'

/** Three tools that keep every rule; what is given replaces one of them. */
export function box(replaced: Readonly<Record<string, ToolRun<never> | undefined>> = {}): Toolset {
  const put: ToolRun<{ text?: string }> = async ({ args, progress }) => {
    progress('putting')
    if (args.text === undefined) return { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'put', detail: 'nothing to put' } } }
    return { ok: true, text: `put ${args.text}`, data: { length: args.text.length } }
  }
  const wait: ToolRun = (_toolCall, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const count: ToolRun = async () => ({ ok: true, text: '0' })
  const tools = Object.entries({ put, wait, count, ...replaced }).filter(([, run]) => run !== undefined)
  return { open: async () => ({ tools: Object.fromEntries(tools) as Record<string, ToolRun<never>> }) }
}
