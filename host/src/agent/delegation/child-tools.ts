import type { DeclaredTool } from '#tools/search/list-tools.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import type { ChildOf } from './child-of.ts'

/** What these leave behind outlives the child, and nobody has asked the child for it. */
const lasting = ['jobs', 'skills.write'] as const

/**
 * Whether a child has a tool: one of its parent, and none that speaks to a person, remembers, or hands on tasks beyond the depth that is allowed.
 * What it finds out goes to its parent, which decides.
 */
export function fitsChild({ tools, toolsets, mayDelegate }: Pick<ChildOf, 'tools' | 'toolsets' | 'mayDelegate'>) {
  return ({ tool, contribution }: DeclaredTool): boolean => {
    if (!tools.has(tool.name) || tool.needsMemory === 'change') return false
    if (toolsets !== undefined && !toolsets.includes(contribution.id)) return false
    const verbs = contribution.plugin.manifest.permissions.host?.value ?? []
    if (lasting.some((verb) => verbs.includes(verb)) && tool.effect !== 'read') return false
    return !verbs.includes('clarify') && (mayDelegate || !verbs.includes('agents.run'))
  }
}

/** Ids of the toolsets that these tools belong to. */
export function toolsetsOf(toolbox: Pick<ToolView, 'reachable'>, tools: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>()
  toolbox.reachable(undefined, ({ tool, contribution }) => {
    const isOwn = tools.has(tool.name)
    if (isOwn) found.add(contribution.id)
    return isOwn
  })
  return found
}
