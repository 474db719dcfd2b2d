import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PlatformManifest } from '@agent/plugin-sdk'
import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { type PluginFolder, pluginFolders, readManifest } from '../../repo/plugin-folders.ts'
import { root } from '../../repo/source-files.ts'

export interface Crowd extends PlatformCrowd {
  readonly platform: string
  readonly spec: PlatformManifest
  readonly people: number
}

interface CrowdModule {
  openCrowd(): Promise<PlatformCrowd>
}

const usualPeople = 20

/** One crowd for every platform whose folder brings one, in `test/crowd.ts`, and that is wanted. */
export async function openCrowds(isWanted: (spec: PlatformManifest) => boolean = () => true): Promise<readonly Crowd[]> {
  const found = pluginFolders
    .filter(({ kind, path }) => kind === 'platforms' && existsSync(join(root, path, 'test', 'crowd.ts')))
    .map((folder) => ({ name: folder.name, spec: specOf(folder) }))
  return await Promise.all(
    found
      .filter(({ spec }) => isWanted(spec))
      .map(async ({ name, spec }) => {
        // The bundler takes every folder that fits this pattern.
        const module = (await import(`../../../plugins/platforms/${name}/test/crowd.ts`)) as CrowdModule
        const crowd = await module.openCrowd()
        return Object.assign(crowd, { platform: name, spec, people: crowd.people ?? usualPeople })
      }),
  )
}

function specOf(folder: PluginFolder): PlatformManifest {
  const spec = readManifest(folder).contributes.platforms.find(({ id }) => id === folder.name)
  if (!spec) throw new Error(`${folder.path} has no platform ${folder.name}`)
  return spec
}
