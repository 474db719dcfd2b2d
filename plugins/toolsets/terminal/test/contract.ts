import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  const workspace = await mkdtemp(join(tmpdir(), 'terminal-contract-'))
  return {
    config: { timeout: 60, persistent_shell: true },
    workspace,
    good: [
      { tool: 'terminal', args: { command: 'echo hello' } },
      { tool: 'terminal', args: { command: 'sleep 300', background: true } },
      { tool: 'process', args: { action: 'list' } },
    ],
    failing: { tool: 'process', args: { action: 'poll', process_id: 'nothing' } },
    hanging: { tool: 'terminal', args: { command: 'sleep 300' } },
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  }
}
