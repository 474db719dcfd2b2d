import type { ToolManifest } from '@agent/plugin-sdk'
import type { Contribution } from '#kernel/catalog/catalog.ts'

/** `tools.tool_search` of config.yaml. */
export interface ToolSearchSettings {
  readonly enabled: 'auto' | 'on' | 'off'
  /** With `auto`: so many tools of others are listed. */
  readonly max_listed: number
  /** How many tools a search tells of. */
  readonly search_default_limit: number
}

/** A tool and the toolset that brings it. */
export interface DeclaredTool {
  readonly contribution: Contribution<'toolset'>
  readonly tool: ToolManifest
}

export interface ListedTools {
  /** What the model is shown. */
  readonly listed: readonly DeclaredTool[]
  /** There are others, which it has to search. */
  readonly hasMore: boolean
}

/**
 * Tools that come with agent are listed. Those of others are listed together or not at all: were some of them, each one that is
 * installed would change the list.
 */
export function listTools(
  tools: readonly DeclaredTool[],
  { enabled, max_listed }: Omit<ToolSearchSettings, 'search_default_limit'>,
): ListedTools {
  if (enabled === 'off') return { listed: tools, hasMore: false }
  const candidates = tools.filter(({ contribution: { spec }, tool }) => !spec.deferred && tool.deferred !== true)
  const own = candidates.filter(isBundled)
  const isFew = enabled === 'auto' && candidates.length - own.length <= max_listed
  const listed = isFew ? candidates : own
  return { listed, hasMore: listed.length < tools.length }
}

const isBundled = ({ contribution: { plugin } }: DeclaredTool): boolean => plugin.source === 'bundled'
