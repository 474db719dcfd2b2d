import type { ToolResult, ToolSpec } from '@agent/plugin-sdk'
import { nearestName } from '#kernel/nearest-name.ts'
import type { ToolTurn } from '../tool-turn.ts'
import type { DeclaredTool, ToolSearchSettings } from './list-tools.ts'
import { callName, isOfPair } from './pair.ts'
import { createToolIndex, type ToolIndex } from './tool-index.ts'

export interface ToolSearchOptions {
  readonly tools: ReadonlyMap<string, DeclaredTool>
  readonly specOf: (tool: DeclaredTool) => ToolSpec
  readonly settings: () => Pick<ToolSearchSettings, 'search_default_limit'>
}

type Reach = Pick<ToolTurn, 'tools' | 'reachable'>

/** Finds the tools that a model is not shown. */
export interface ToolSearch {
  find(query: string, turn: Reach): Promise<ToolResult>
  /** Names that may be meant by one that no tool has. */
  nearest(name: string, turn: Reach): Promise<readonly string[]>
}

const mostNames = 5

export function createToolSearch({ tools, specOf, settings }: ToolSearchOptions): ToolSearch {
  let making: Promise<ToolIndex> | undefined
  const index = (): Promise<ToolIndex> => {
    making ??= createToolIndex([...tools.values()])
    return making
  }
  return {
    async find(query, turn) {
      const more = [...turn.reachable].filter((name) => !turn.tools.has(name))
      const found = (await index()).find(query, { most: settings().search_default_limit, among: (name) => more.includes(name) })
      const rows = found.flatMap((name) => tools.get(name) ?? []).map((tool) => JSON.stringify(specOf(tool)))
      if (rows.length > 0) return { ok: true, text: [`Call one with ${callName}, by its name and with its arguments:`, ...rows].join('\n') }
      return { ok: true, text: `None of ${more.length} tools fits. They are of: ${toolsetsOf(more, tools)}. Search for other words.` }
    },
    async nearest(name, turn) {
      const known = new Set([...turn.tools, ...turn.reachable].filter((each) => !isOfPair(each)))
      const near = nearestName(name, known)
      const fitting = (await index()).find(name, { most: mostNames, among: (each) => known.has(each) })
      return [...new Set([...(near === undefined ? [] : [near]), ...fitting])].slice(0, mostNames)
    },
  }
}

function toolsetsOf(names: readonly string[], tools: ToolSearchOptions['tools']): string {
  return [...new Set(names.flatMap((name) => tools.get(name)?.contribution.id ?? []))].join(', ')
}
