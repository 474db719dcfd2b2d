import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PlatformManifest } from '@agent/plugin-sdk'
import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { pluginFolders, readManifest } from '../../repo/plugin-folders.ts'
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

/** One crowd for every platform whose folder brings one, in `test/crowd.ts`; of those that are named, where some are. */
export async function openCrowds(only?: readonly string[]): Promise<readonly Crowd[]> {
  const folders = pluginFolders.filter(
    ({ kind, path, name }) => kind === 'platforms' && (only?.includes(name) ?? true) && existsSync(join(root, path, 'test', 'crowd.ts')),
  )
  return await Promise.all(
    folders.map(async (folder) => {
      const { name } = folder
      // The bundler takes every folder that fits this pattern.
      const module = (await import(`../../../plugins/platforms/${name}/test/crowd.ts`)) as CrowdModule
      const crowd = await module.openCrowd()
      const spec = readManifest(folder).contributes.platforms.find(({ id }) => id === name)
      if (!spec) throw new Error(`${folder.path} has no platform ${name}`)
      return Object.assign(crowd, { platform: name, spec, people: crowd.people ?? usualPeople })
    }),
  )
}
