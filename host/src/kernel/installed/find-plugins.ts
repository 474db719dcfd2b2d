import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestPlace } from './manifest-file.ts'
import { type PluginLock, storeFolder, storeOf } from './plugin-lock.ts'

export interface PluginPlaces {
  readonly bundled: string
  readonly local: string
  readonly lockFile: string
  readonly lock: PluginLock
}

/** Where plugins may be: `<bundled>/<kind>/<name>`, what the lock names, and `<local>/<id>`; a symbolic link in the latter is a development link. */
export function findPlugins(folders: PluginPlaces): readonly ManifestPlace[] {
  const bundled = list(folders.bundled).flatMap((kind) => {
    if (!kind.isDirectory()) return []
    const folder = join(folders.bundled, kind.name)
    return list(folder)
      .filter((entry) => entry.isDirectory())
      .map((entry): ManifestPlace => ({ folder: join(folder, entry.name), source: 'bundled' }))
  })
  const store = storeOf(folders.lockFile)
  const installed = [...folders.lock.plugins].map(
    ([id, locked]): ManifestPlace => ({ folder: storeFolder(store, id, locked), source: 'installed', entry: { id, locked } }),
  )
  return [...bundled, ...installed, ...findLocal(folders.local)]
}

function findLocal(folder: string): readonly ManifestPlace[] {
  const found = list(folder).filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
  if (found.length === 0) return []
  const real = realpathSync.native(folder)
  return found.map((entry) => ({ folder: join(real, entry.name), source: entry.isSymbolicLink() ? 'link' : 'local' }))
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && !entry.name.endsWith('.off'))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
