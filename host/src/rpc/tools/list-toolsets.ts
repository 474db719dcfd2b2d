import type { ToolManifest } from '@agent/plugin-sdk'
import { type Listed, listedOf } from '#kernel/catalog/catalog.ts'
import { hasModelFor } from '#models/has-model-for.ts'
import { createModelChoice } from '#models/select.ts'
import { offersBackend } from '#tools/choose-backend.ts'
import { imageWish } from '#tools/images/find-image-backend.ts'
import { offersMemory } from '#tools/memory/find-memory-provider.ts'
import { offersWeb } from '#tools/web/find-backend.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

export interface ToolsetRow {
  readonly id: string
  readonly plugin: Listed
  readonly state: 'ready' | 'blocked'
  readonly reason: string | null
  /** What can be done once after the installation. */
  readonly setUp?: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly effect: string; readonly lacks: string | null }[]
}

const noBackend = 'no web backend that is ready can do it'
const noMemory = 'no provider of memories that is on can do it'
const noImages = { generate: 'no image backend is ready', describe: 'no model is chosen that may see' } as const

/** Every toolset of the catalog with its tools. */
export function listToolsets({ catalog, loaded }: Pick<OpenedCatalog, 'catalog' | 'loaded'>): readonly ToolsetRow[] {
  const web = { catalog, wanted: loaded.config.web.backend }
  const offersImages = {
    generate: offersBackend(imageWish({ catalog, wanted: loaded.config.image.backend })),
    describe: hasModelFor({ task: loaded.config.auxiliary.vision, choose: createModelChoice({ catalog, loaded }) }),
  }
  const { memory } = loaded.config
  const keepsSomething = memory.memory_enabled || memory.user_profile_enabled
  const remembers = (what: 'change' | 'recall'): boolean =>
    memory.provider !== 'none' && (what === 'recall' || keepsSomething) && offersMemory({ catalog, wanted: memory.provider }, what)
  const lackOf = ({
    needsWeb,
    needsImages,
    needsMemory,
  }: Pick<ToolManifest, 'needsWeb' | 'needsImages' | 'needsMemory'>): string | null => {
    if (needsWeb !== undefined && !offersWeb(web, needsWeb)) return noBackend
    if (needsMemory !== undefined && !remembers(needsMemory)) return noMemory
    return needsImages === undefined || offersImages[needsImages] ? null : noImages[needsImages]
  }
  return catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.toolsets ?? []).map((spec): ToolsetRow => {
      const listed = listedOf({ plugins: [plugin] }, 'toolset').find(({ id }) => id === spec.id)
      const tools = spec.tools.map((tool) => {
        const { name, description, effect } = tool
        return { name, description, effect, lacks: lackOf(tool) }
      })
      const reason =
        listed?.reason?.text ??
        (tools.length > 0 && tools.every(({ lacks }) => lacks) ? [...new Set(tools.map(({ lacks }) => lacks))].join(', and ') : null)
      const setUp = spec.setUp === undefined ? {} : { setUp: spec.setUp }
      return { id: spec.id, plugin, ...setUp, state: listed && reason === null ? 'ready' : 'blocked', reason, tools }
    }),
  )
}
