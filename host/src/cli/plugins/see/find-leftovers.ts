import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Home } from '#config/home/home.ts'
import { fileListOf, type PluginLock, storeFolder } from '#kernel/installed/plugin-lock.ts'

/** Something in the plugins' folder that no command and no lock entry names. */
export interface Leftover {
  readonly path: string
  readonly text: string
}

/** What killed commands and removed plugins left; nothing while a command is at work, or while the lock cannot be read. */
export function findLeftovers({ files }: Pick<Home, 'files'>, lock: PluginLock): readonly Leftover[] {
  const folder = dirname(files.pluginsLock)
  if (existsSync(join(folder, '.writer')) || lock.damaged !== undefined) return []
  const staging = join(folder, '.staging')
  return [
    ...(existsSync(staging) ? [{ path: staging, text: `${staging} was left by a command that was ended` }] : []),
    ...findStored(files.pluginsStore, lock),
  ]
}

function findStored(store: string, { plugins, broken }: PluginLock): readonly Leftover[] {
  return list(store).flatMap((id) => {
    // What belongs to an entry that nobody understands is not known.
    if (broken.has(id)) return []
    const locked = plugins.get(id)
    const own = join(store, id)
    if (!locked) return [{ path: own, text: `${own} belongs to no plugin of plugins.lock.json` }]
    const folders = [locked, locked.previous].flatMap((version) => (version ? [storeFolder(store, id, version)] : []))
    const named = new Set(folders.flatMap((each) => [basename(each), basename(fileListOf(each))]))
    return list(own)
      .filter((name) => !named.has(name))
      .map((name) => ({ path: join(own, name), text: `${join(own, name)} is no version that plugins.lock.json names` }))
  })
}

/** Moves leftovers into a separate folder, from where they can be taken back; answers with it. */
export function setAside({ files }: Pick<Home, 'files'>, leftovers: readonly Leftover[], now: number): string {
  const folder = dirname(files.pluginsLock)
  const aside = join(folder, 'aside', new Date(now).toISOString().replaceAll(':', '-'))
  for (const { path } of leftovers) {
    const target = join(aside, relative(folder, path))
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    renameSync(path, target)
  }
  return aside
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
