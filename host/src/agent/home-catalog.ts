import { join } from 'node:path'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Config } from '#config/schema/schema.ts'
import { type Catalog, loadCatalog } from '#kernel/catalog/catalog.ts'
import type { Objection } from '#kernel/curated/judge.ts'
import type { ParseManifest } from '#kernel/installed/manifest-file.ts'
import type { LockedVersion } from '#kernel/installed/plugin-lock.ts'
import { parseQuarantine, type QuarantinePort } from '#kernel/isolation/faults.ts'
import { openHomeSkills } from './home-skills.ts'

export interface HomeCatalogOptions {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  readonly home: Home
  readonly loaded: Loaded
  readonly safeMode?: boolean
  readonly ownCommands?: readonly string[]
  readonly quarantine: Pick<QuarantinePort, 'get'>
  readonly parseManifest?: ParseManifest | undefined
}

/** Reads what is kept of the lists of organisations; a home without any does not even load what reads them, and none is fetched. */
async function openObjections(
  { files }: Home,
  places: Config['plugins']['catalogs'],
): Promise<((version: LockedVersion) => Objection | undefined) | undefined> {
  if (places.length === 0) return undefined
  const [{ findObjection }, { readKeptLists }] = await Promise.all([
    import('#kernel/curated/judge.ts'),
    import('#kernel/curated/kept-lists.ts'),
  ])
  const lists = readKeptLists(files.pluginCatalogs, places).flatMap(({ list }) => list ?? [])
  return (version) => findObjection(lists, version)
}

/** The plugins of a home, judged by its settings; the variables of their manifests become readable. */
export async function loadHomeCatalog(options: HomeCatalogOptions): Promise<Catalog> {
  const { installRoot, home, loaded, safeMode = false, ownCommands = [], quarantine, parseManifest } = options
  const { config, environment, problems } = loaded
  const catalog = await loadCatalog({
    bundled: join(installRoot, 'plugins'),
    local: home.files.pluginsLocal,
    settings: config.plugins,
    platforms: config.platforms,
    blocks: config,
    hasEnvironment: environment.has,
    problems,
    safeMode,
    ownCommands,
    parseManifest,
    homeSkills: async () => {
      const { skills } = await openHomeSkills({ home, safeMode, log: { warn: () => undefined } }).index()
      return new Map(skills.map(({ name, folder }) => [name, folder]))
    },
    objectionTo: await openObjections(home, config.plugins.catalogs),
    quarantineOf: async (plugin) => parseQuarantine(await quarantine.get(plugin)),
  })
  for (const { installed } of catalog.plugins) {
    if (!installed) continue
    environment.declare(installed.manifest.env)
    for (const { id, envPrefix, homeEnv, replyPrefix } of installed.manifest.contributes.platforms)
      environment.declarePlatform(id, { prefix: envPrefix, home: homeEnv, header: replyPrefix })
  }
  return catalog
}
