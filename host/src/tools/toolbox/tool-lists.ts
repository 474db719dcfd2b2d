import type { ToolManifest, ToolSpec } from '@agent/plugin-sdk'
import { narrowTargets } from '../memory/narrow-targets.ts'
import { anyOf, type DynamicCatalog, prefixOf } from '../search/dynamic-tools.ts'
import { type DeclaredTool, listTools, type ToolSearchSettings } from '../search/list-tools.ts'
import { pair, searchTool } from '../search/pair.ts'
import { leanSchema } from './lean-schema.ts'

export interface ListOptions {
  /** Whether there is a web backend for a tool that needs one. */
  readonly offersWeb?: (what: NonNullable<ToolManifest['needsWeb']>) => boolean
  /** Whether there is an image backend, or a model that may see, for a tool that needs one. */
  readonly offersImages?: (what: NonNullable<ToolManifest['needsImages']>) => boolean
  /** Whether there is a memory provider for a tool that needs one. */
  readonly offersMemory?: (what: NonNullable<ToolManifest['needsMemory']>) => boolean
  /** What may be remembered. */
  readonly memoryTargets?: () => readonly string[]
  /** Which tools are listed, and how the others are found. */
  readonly search: () => ToolSearchSettings
}

interface ListGround extends ListOptions {
  readonly tools: ReadonlyMap<string, DeclaredTool>
  readonly dynamic: Pick<DynamicCatalog, 'toolsets'>
}

/** Which tools an agent has. */
export type ToolFilter = (tool: DeclaredTool) => boolean

const anyTool: ToolFilter = () => true

export interface ToolLists {
  /** A tool as the model is told it. */
  specOf(tool: DeclaredTool): ToolSpec
  /** What the model sees, from manifests alone and always in the same order; `only` names toolsets. */
  specs(only?: readonly string[], fits?: ToolFilter): readonly ToolSpec[]
  /** Names of all tools that there are, listed or not. */
  reachable(only?: readonly string[], fits?: ToolFilter): ReadonlySet<string>
}

export function createLists(ground: ListGround): ToolLists {
  // Tools that are known only when they run come and go.
  const known = new WeakMap<ToolManifest, ToolSpec>()
  const specOf = ({ tool }: DeclaredTool): ToolSpec => {
    if (tool.needsMemory === 'change') return toSpec(narrowTargets(tool, ground.memoryTargets?.() ?? []))
    const spec = known.get(tool) ?? toSpec(tool)
    known.set(tool, spec)
    return spec
  }
  return {
    specOf,
    specs: (only, fits = anyTool) => {
      const { listed, hasMore } = listTools(offered(ground, only).filter(fits), ground.search())
      return [...listed.map(specOf), ...(hasMore || offersDynamic(ground, only, fits).length > 0 ? pair : [])]
    },
    reachable: (only, fits = anyTool) => {
      const named = offered(ground, only).filter(fits)
      return new Set([...named.map(({ tool }) => tool.name), ...offersDynamic(ground, only, fits)])
    },
  }
}

/** The tools that a door has and that something here can do. */
function offered(
  { tools, offersWeb = () => false, offersImages = () => false, offersMemory = () => false }: ListGround,
  only: readonly string[] | undefined,
): readonly DeclaredTool[] {
  return [...tools.values()]
    .filter(({ contribution }) => !only || only.includes(contribution.id))
    .filter(({ tool: { needsWeb } }) => needsWeb === undefined || offersWeb(needsWeb))
    .filter(({ tool: { needsImages } }) => needsImages === undefined || offersImages(needsImages))
    .filter(({ tool: { needsMemory } }) => needsMemory === undefined || offersMemory(needsMemory))
}

/** A name each that stands for all tools of a toolset that are known only when it runs. */
function offersDynamic({ dynamic }: ListGround, only: readonly string[] | undefined, fits: ToolFilter): readonly string[] {
  return dynamic.toolsets
    .filter(({ id }) => !only || only.includes(id))
    .map((contribution) => ({ contribution, tool: { ...searchTool, name: anyOf(prefixOf(contribution)) } }))
    .filter(fits)
    .map(({ tool }) => tool.name)
}

function toSpec({ name, description, parameters }: Pick<ToolManifest, 'name' | 'description' | 'parameters'>): ToolSpec {
  return { name, description, parameters: leanSchema(parameters as ToolSpec['parameters']) }
}
