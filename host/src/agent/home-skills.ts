import { join } from 'node:path'
import type { Log } from '@agent/plugin-sdk'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { lookAround } from '#skills/here.ts'
import { createSkills, type HostSkills } from '#skills/open-skills.ts'

export interface HomeSkillsOptions {
  readonly home: Home
  /** Whose plugins bring skills too; undefined: only those of the home. */
  readonly catalog?: Pick<Catalog, 'of'>
  /** Leaves out what people have put into the home. */
  readonly safeMode: boolean
  readonly log: Pick<Log, 'warn'>
}

/** The skills of a home on this machine. */
export function openHomeSkills({ home, catalog, safeMode, log }: HomeSkillsOptions): HostSkills {
  return createSkills({
    home: safeMode ? undefined : home.files.skills,
    bundles: safeMode ? undefined : home.files.skillBundles,
    others: () =>
      (catalog?.of('skills') ?? []).map(({ id, plugin, spec }) => ({
        ...{ name: id, folder: join(plugin.root, spec.path), plugin: plugin.manifest.id },
      })),
    here: lookAround(process.platform),
    cache: home.files.skillIndex,
    log,
  })
}
