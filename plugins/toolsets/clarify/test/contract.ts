import { fail } from '@agent/plugin-sdk/errors'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [{ tool: 'clarify', args: { question: 'Which?', choices: ['this', 'that'] } }],
    failing: { tool: 'clarify', args: { question: 'Is anybody there?', choices: [] } },
    ask: async ({ question, choices }) => {
      const [first] = choices
      if (first === undefined) throw fail('NOBODY_TO_ASK', { what: question })
      return first
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
