import type { PanelServices } from '#agent/panel-host.ts'
import type { HomeContext } from '../home-context.ts'
import { readHomeLog } from '../logs/home-logs.ts'
import { mcpForPanels } from '../mcp/mcp-for-panels.ts'
import { switchPlugin } from '../plugins/switch-plugin.ts'
import { hubForPanels } from '../skills/hub-for-panels.ts'
import { readToolsets } from '../tools/read-toolsets.ts'
import { setUpTools } from '../tools/set-up-tools.ts'

const mostLines = 1000

/** What panels of this home may ask of the program. */
export function createPanelServices(context: HomeContext): PanelServices {
  return {
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
    mcp: mcpForPanels(context),
  }
}
