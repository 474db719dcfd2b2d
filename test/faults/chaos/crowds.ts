import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { pluginFolders } from '../../repo/plugin-folders.ts'
import { root } from '../../repo/source-files.ts'

export interface Crowd extends PlatformCrowd {
  readonly platform: string
  readonly people: number
}

interface CrowdModule {
  openCrowd(): Promise<PlatformCrowd>
}

const usualPeople = 20

/** One crowd for every platform whose folder brings one, in `src/crowd.ts`. */
export async function openCrowds(): Promise<readonly Crowd[]> {
  const folders = pluginFolders.filter(({ kind, path }) => kind === 'platforms' && existsSync(join(root, path, 'src', 'crowd.ts')))
  return await Promise.all(
    folders.map(async ({ name }) => {
      // The bundler takes every folder that fits this pattern.
      const module = (await import(`../../../plugins/platforms/${name}/src/crowd.ts`)) as CrowdModule
      const crowd = await module.openCrowd()
      return Object.assign(crowd, { platform: name, people: crowd.people ?? usualPeople })
    }),
  )
}
