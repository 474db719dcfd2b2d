import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Modules with machine code: they cannot be part of a bundle and are loaded from the installation. */
const nativeModules = ['better-sqlite3', 'node-pty', '@lydell/node-pty', 'sharp', 'esbuild']

/**
 * What a bundle of the plugin in `dir` imports from where it is installed: modules with machine code, and libraries that cannot be in a bundle,
 * for instance because they load a file from their folder; `agent.unbundled` in package.json names those.
 */
export async function readLeftOutside(dir: string): Promise<readonly string[]> {
  const file = join(dir, 'package.json')
  const { agent } = (existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {}) as { agent?: { unbundled?: readonly string[] } }
  return [...nativeModules, ...(agent?.unbundled ?? [])]
}

/** Makes `folder` a place from which bundles of the plugin in `dir` find what was left outside; what is not installed is not found there either. */
export async function linkLeftOutside(dir: string, folder: string): Promise<void> {
  const { resolve } = createRequire(join(dir, 'package.json'))
  for (const name of await readLeftOutside(dir)) {
    const installed = (resolve.paths(name) ?? []).map((place) => join(place, name)).find(existsSync)
    const link = join(folder, 'node_modules', name)
    if (installed === undefined) continue
    await mkdir(dirname(link), { recursive: true })
    await symlink(installed, link, 'junction')
  }
}
