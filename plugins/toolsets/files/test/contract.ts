import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  const workspace = await mkdtemp(join(tmpdir(), 'files-contract-'))
  return {
    config: {},
    workspace,
    good: [
      { tool: 'write_file', args: { path: 'a/b.txt', content: 'one\ntwo\n' } },
      { tool: 'read_file', args: { path: 'a/b.txt', limit: 500 } },
      { tool: 'patch', args: { path: 'a/b.txt', old_string: 'two', new_string: '2' } },
      { tool: 'search_files', args: { pattern: 'one', target: 'content', path: '.', limit: 50, output_mode: 'content', context: 0 } },
    ],
    failing: { tool: 'read_file', args: { path: 'missing.txt', limit: 500 } },
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  }
}
