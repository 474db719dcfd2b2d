import type { AboutSkill } from './skill-memory.ts'

/** The tools that there are for an agent, by their names and by those of their toolsets. */
export interface ToolsHere {
  readonly tools: ReadonlySet<string>
  readonly toolsets: ReadonlySet<string>
}

/** Why a skill is of no use beside these tools, as what completes "it …"; undefined where it is. They are asked for only where a skill names some. */
export function gateOf({ requires, fallbackFor }: Pick<AboutSkill, 'requires' | 'fallbackFor'>, here: () => ToolsHere): string | undefined {
  if (!requires && !fallbackFor) return undefined
  const { tools, toolsets } = here()
  const lackingSet = requires?.toolsets.find((name) => !toolsets.has(name))
  if (lackingSet !== undefined) return `needs the toolset ${lackingSet}`
  const lackingTool = requires?.tools.find((name) => !tools.has(name))
  if (lackingTool !== undefined) return `needs the tool ${lackingTool}`
  const replacedSet = fallbackFor?.toolsets.find((name) => toolsets.has(name))
  if (replacedSet !== undefined) return `stands in for the toolset ${replacedSet}, which is there`
  const replacedTool = fallbackFor?.tools.find((name) => tools.has(name))
  return replacedTool === undefined ? undefined : `stands in for the tool ${replacedTool}, which is there`
}
