import type { Toolset } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { runTool } from './run-tool.ts'
import { openServers } from './servers.ts'
import { createSpill } from './spill.ts'

const toolset: Toolset<Config> = {
  async open(context) {
    const spill = createSpill()
    let workspace: string | undefined
    const servers = openServers(context, () => workspace)
    context.effect(() => spill.close())
    context.effect(() => servers.close())
    return {
      tools: {},
      async setUp({ signal }) {
        const { sources } = await servers.list({ fresh: true }, signal)
        return sources.map(({ text }) => text).join('\n') || 'There are no servers to start.'
      },
      dynamic: {
        list: (wish, { signal }) => servers.list(wish, signal),
        async run(name, toolCall, call) {
          workspace = toolCall.workspace
          // After a new start of this toolset nothing is known yet.
          if (!servers.find(name) && !servers.findAsked(name)) await servers.list({}, call.signal)
          const asked = servers.findAsked(name)
          if (asked) return { ok: true, text: `${await servers.use(asked, call.signal)} tool_search finds what it has.` }
          const found = servers.find(name)
          if (found) return runTool({ name, ...found, spill }, toolCall, call)
          return { ok: false, error: toWireError(fail('TOOL_FAILED', { tool: name, detail: 'Its MCP server has it no more.' })) }
        },
      },
    }
  },
}

export default toolset
