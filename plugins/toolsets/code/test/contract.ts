import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The tools of the tests say how they were called. */
export async function openWorld(): Promise<ToolsetWorld> {
  const workspace = await mkdtemp(join(tmpdir(), 'code-contract-'))
  const js = (code: string) => ({ tool: 'execute_code', args: { code, language: 'javascript' } })
  return {
    config: { timeout: 60, max_tool_calls: 5 },
    workspace,
    good: [
      js("console.log((await read_file('a')).text)"),
      { tool: 'execute_code', args: { code: "print(read_file('a'))", language: 'python' } },
    ],
    failing: js('throw new Error("no")'),
    hanging: js('setInterval(() => undefined, 1000)'),
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  }
}
