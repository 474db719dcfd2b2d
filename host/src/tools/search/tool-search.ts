import type { ToolResult, ToolSpec } from '@agent/plugin-sdk'
import { nearestName } from '#kernel/nearest-name.ts'
import type { ToolTurn } from '../tool-turn.ts'
import { type DynamicAnswer, type DynamicCatalog, isAnyOf } from './dynamic-tools.ts'
import type { DeclaredTool, ToolSearchSettings } from './list-tools.ts'
import { callName, isOfPair } from './pair.ts'
import { createToolIndex, type ToolIndex } from './tool-index.ts'

export interface ToolSearchOptions {
  readonly tools: ReadonlyMap<string, DeclaredTool>
  readonly specOf: (tool: DeclaredTool) => ToolSpec
  readonly settings: () => Pick<ToolSearchSettings, 'search_default_limit'>
  /** Tools that are known only when their toolset runs. */
  readonly dynamic: Pick<DynamicCatalog, 'all' | 'known'>
}

type Reach = Pick<ToolTurn, 'tools' | 'reachable' | 'signal'>

/** Finds the tools that a model is not shown. */
export interface ToolSearch {
  find(query: string, turn: Reach): Promise<ToolResult>
  /** Names that may be meant by one that no tool has. */
  nearest(name: string, turn: Reach): Promise<readonly string[]>
}

const mostNames = 5

export function createToolSearch({ tools, specOf, settings, dynamic }: ToolSearchOptions): ToolSearch {
  let made: { readonly of: Tools; readonly index: Promise<ToolIndex> } | undefined

  async function look({ reachable, signal }: Reach, given?: DynamicAnswer): Promise<Found> {
    const answer = given ?? (await dynamic.all(reachable, signal))
    const all: Tools = [...tools.values(), ...answer.tools.values()]
    if (made?.of.length !== all.length || made.of.some((tool, at) => tool !== all[at])) made = { of: all, index: createToolIndex(all) }
    const names = [...reachable].filter((name) => !isAnyOf(name))
    return { ...answer, index: await made.index, names: new Set([...names, ...answer.tools.keys()]) }
  }

  return {
    async find(query, turn) {
      const { names, index, notes, tools: more } = await look(turn)
      const unlisted = new Set([...names].filter((name) => !turn.tools.has(name)))
      const found = index.find(query, { most: settings().search_default_limit, among: (name) => unlisted.has(name) })
      const rows = found.flatMap((name) => tools.get(name) ?? more.get(name) ?? []).map((tool) => JSON.stringify(specOf(tool)))
      if (rows.length > 0)
        return { ok: true, text: [`Call one with ${callName}, by its name and with its arguments:`, ...rows, ...notes].join('\n') }
      const of = toolsetsOf([...unlisted], (name) => tools.get(name) ?? more.get(name))
      const none = `None of ${unlisted.size} tools fits.${of === '' ? '' : ` They are of: ${of}.`} Search for other words.`
      return { ok: true, text: [none, ...notes].join('\n') }
    },
    async nearest(name, turn) {
      // What servers have is known by then, or it is no time to start them for a spelling.
      const { names, index } = await look(turn, dynamic.known(turn.reachable))
      const known = new Set([...turn.tools, ...names].filter((each) => !isOfPair(each)))
      const near = nearestName(name, known)
      const fitting = index.find(name, { most: mostNames, among: (each) => known.has(each) })
      return [...new Set([...(near === undefined ? [] : [near]), ...fitting])].slice(0, mostNames)
    },
  }
}

type Tools = readonly DeclaredTool[]

interface Found extends DynamicAnswer {
  readonly index: ToolIndex
  /** All that may be called. */
  readonly names: ReadonlySet<string>
}

function toolsetsOf(names: readonly string[], find: (name: string) => DeclaredTool | undefined): string {
  return [...new Set(names.flatMap((name) => find(name)?.contribution.id ?? []))].join(', ')
}
