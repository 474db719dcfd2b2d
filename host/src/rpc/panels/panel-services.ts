import type { Clock } from '@agent/plugin-sdk'
import type { PanelServices } from '#agent/panel-host.ts'
import type { HomeContext } from '../home-context.ts'
import { readHomeLog } from '../logs/home-logs.ts'
import { switchPlugin } from '../plugins/switch-plugin.ts'
import { hubForPanels } from '../skills/hub-for-panels.ts'
import { readToolsets } from '../tools/read-toolsets.ts'
import { setUpTools } from '../tools/set-up-tools.ts'
import { mcpForPanels } from './mcp-for-panels.ts'

const mostLines = 1000

/** What panels of this home may ask of the program, until it is closed. */
export function createPanelServices(context: HomeContext, clock: Clock): PanelServices & { close(): Promise<void> } {
  const { mcp, close } = mcpForPanels(context, clock)
  return {
    ...{ mcp, close },
    logs: {
      read: async ({ name, count, level }) => {
        const { lines } = await readHomeLog(context, { name, count: Math.min(count, mostLines), level })
        return { lines: lines.map(({ time, level: of, text }) => ({ ...(time === undefined ? {} : { at: time }), level: of, text })) }
      },
    },
    toolsets: {
      list: () => readToolsets(context),
      setUp: (id) => setUpTools(context, id),
      turn: async (id, to) => (await switchPlugin(context, `toolset:${id}`, to)).said,
    },
    skillHub: hubForPanels(context),
  }
}
