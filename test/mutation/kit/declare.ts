import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PluginFolder, readManifest } from '../../repo/plugin-folders.ts'
import { listFiles, root } from '../../repo/source-files.ts'
import type { Declared } from './promises/fault.ts'

/** What decides which faults apply to a platform. */
export function declare(folder: PluginFolder): Declared {
  const { contributes, env, permissions } = readManifest(folder)
  const platform = contributes.platforms.find(({ id }) => id === folder.name)
  if (!platform) throw new Error(`There is no platform ${folder.name}.`)
  const own = env.filter((variable) => platform.env.includes(variable.name))
  const names = (list: typeof own): readonly string[] => list.map((variable) => variable.name)
  const { door, reception, capabilities, limits } = platform
  const [required, secret] = [names(own.filter((each) => each.required)), names(own.filter((each) => each.secret))]
  const waits = (permissions.net?.value ?? 'none') !== 'none'
  return { door, reception, capabilities, limits, required, secret, groups: hasGroups(folder), waits }
}

/** A manifest does not say it: the world has a place where others read what is said. */
function hasGroups({ path }: PluginFolder): boolean {
  return listFiles(`${path}/test`, /\.ts$/).some((file) => readFileSync(join(root, file), 'utf8').includes('receiveInGroup'))
}
