import type { ToolManifest } from '@agent/plugin-sdk'
import type { Loaded } from '#config/file/loaded.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { hasModelFor } from '#models/has-model-for.ts'
import { createModelChoice } from '#models/select.ts'
import type { ToolsHere } from '#skills/tool-gates.ts'
import { offersBackend } from '#tools/choose-backend.ts'
import { imageWish } from '#tools/images/find-image-backend.ts'
import { offersMemory } from '#tools/memory/find-memory-provider.ts'
import { anyOf, prefixOf, withEntries } from '#tools/search/dynamic-tools.ts'
import { offersWeb } from '#tools/web/find-backend.ts'

export interface ToolGround {
  readonly catalog: Pick<Catalog, 'of' | 'plugins'>
  readonly loaded: Loaded
}

const noBackend = 'no web backend that is ready can do it'
const noMemory = 'no provider of memories that is on can do it'
const noImages = { generate: 'no image backend is ready', describe: 'no model is chosen that may see' } as const

/** Says of a tool what keeps it from working here; null: nothing does. */
export function createLackOf({
  catalog,
  loaded,
}: ToolGround): (tool: Pick<ToolManifest, 'needsWeb' | 'needsImages' | 'needsMemory'>) => string | null {
  const web = { catalog, wanted: loaded.config.web.backend }
  const offersImages = {
    generate: offersBackend(imageWish({ catalog, wanted: loaded.config.image.backend })),
    describe: hasModelFor({ task: loaded.config.auxiliary.vision, choose: createModelChoice({ catalog, loaded }) }),
  }
  const { memory } = loaded.config
  const keepsSomething = memory.memory_enabled || memory.user_profile_enabled
  const remembers = (what: 'change' | 'recall'): boolean =>
    memory.provider !== 'none' && (what === 'recall' || keepsSomething) && offersMemory({ catalog, wanted: memory.provider }, what)
  return ({ needsWeb, needsImages, needsMemory }) => {
    if (needsWeb !== undefined && !offersWeb(web, needsWeb)) return noBackend
    if (needsMemory !== undefined && !remembers(needsMemory)) return noMemory
    return needsImages === undefined || offersImages[needsImages] ? null : noImages[needsImages]
  }
}

/** All tools that work in this home; a conversation may have fewer. */
export function findToolsHere(ground: ToolGround): ToolsHere {
  const lackOf = createLackOf(ground)
  const working = ground.catalog
    .of('toolset')
    .flatMap(({ spec }) => spec.tools)
    .filter((tool) => lackOf(tool) === null)
  const dynamic = withEntries(ground.catalog.of('toolset')).map((each) => anyOf(prefixOf(each)))
  return toolsNamed(ground.catalog, new Set([...working.map(({ name }) => name), ...dynamic]))
}

/** The tools of these names, and the toolsets that have one of them. */
export function toolsNamed(catalog: Pick<Catalog, 'of'>, tools: ReadonlySet<string>): ToolsHere {
  const some = catalog
    .of('toolset')
    .filter((each) => tools.has(anyOf(prefixOf(each))) || each.spec.tools.some(({ name }) => tools.has(name)))
  return { tools, toolsets: new Set(some.map(({ id }) => id)) }
}
