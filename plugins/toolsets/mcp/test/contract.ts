import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'

export const fixtureServer = fileURLToPath(new URL('fixture-server.mjs', import.meta.url))

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  const workspace = await mkdtemp(join(tmpdir(), 'mcp-contract-'))
  return {
    config: config.parse({ mcp_servers: { fixture: { command: process.execPath, args: [fixtureServer] } } }),
    workspace,
    good: [
      { tool: 'mcp_fixture_echo', args: { message: 'hello' } },
      { tool: 'mcp_fixture_write_file', args: {} },
    ],
    failing: { tool: 'mcp_fixture_fail', args: {} },
    hanging: { tool: 'mcp_fixture_hang', args: {} },
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  }
}
