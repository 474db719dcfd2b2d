import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { Home } from '#config/home/home.ts'
import { formatFileList, hashFiles, hashOf } from '#kernel/installed/plugin-files.ts'
import {
  type BrokenEntry,
  fileListOf,
  formatPluginLock,
  type LockedPlugin,
  type LockedVersion,
  readPluginLock,
  storeFolder,
} from '#kernel/installed/plugin-lock.ts'
import { lockWriter } from './lock-writer.ts'

/** The installed plugins of a home while one command changes them. */
export interface PluginHome extends Disposable {
  readonly lock: ReadonlyMap<string, LockedPlugin>
  /** Ids whose entry in the lock is no entry. */
  readonly broken: ReadonlyMap<string, BrokenEntry>
  /** A folder that is gone when the command ends. */
  readonly staging: string
  folderOf(id: string, version: Pick<LockedVersion, 'version' | 'files'>): string
  /** Moves an unpacked package into the store; a version that is there already is replaced as a whole. */
  keep(id: string, version: Pick<LockedVersion, 'version' | 'files'>, unpacked: string): void
  /** Writes the lock, then removes what no entry of it names. */
  write(id: string, entry: LockedPlugin | undefined): void
}

/** Takes the plugins of a home for this process alone, and clears away what a killed command left. */
export function openPluginHome(home: Home): PluginHome {
  const { pluginsStore: store, pluginsLock: file } = home.files
  const folder = dirname(file)
  const unlock = lockWriter(join(folder, '.writer'))
  const staging = join(folder, '.staging')
  try {
    rmSync(staging, { recursive: true, force: true })
    const { plugins, broken, damaged } = readPluginLock(file)
    if (damaged !== undefined) throw fail('PLUGIN_LOCK_DAMAGED', { file, reason: damaged })
    mkdirSync(staging, { recursive: true, mode: 0o700 })
    // Marks the end of npm's way up in search of a project, whose settings would hold.
    writeFileSync(join(staging, 'package.json'), '{"private":true}')
    return create({ store, file, staging, plugins, broken, unlock })
  } catch (error) {
    unlock()
    throw error
  }
}

interface Parts {
  readonly store: string
  readonly file: string
  readonly staging: string
  readonly plugins: ReadonlyMap<string, LockedPlugin>
  readonly broken: ReadonlyMap<string, BrokenEntry>
  readonly unlock: () => void
}

function create({ store, file, staging, plugins, broken, unlock }: Parts): PluginHome {
  const lock = new Map(plugins)
  const strange = new Map(broken)
  const folderOf: PluginHome['folderOf'] = (id, version) => storeFolder(store, id, version)
  return {
    ...{ lock, broken: strange, staging, folderOf },
    keep(id, version, unpacked) {
      const target = folderOf(id, version)
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      const list = formatFileList(hashFiles(unpacked))
      if (hashOf(list) !== version.files) throw fail('INTERNAL', { detail: `the files of ${id} changed while they were installed` })
      if (existsSync(target)) renameSync(target, join(mkdtempSync(join(staging, 'old-')), basename(target)))
      writeFileSync(fileListOf(target), list)
      renameSync(unpacked, target)
    },
    write(id, entry) {
      strange.delete(id)
      if (entry) lock.set(id, entry)
      else lock.delete(id)
      if (lock.size + strange.size > 0) writeFileAtomic(file, formatPluginLock({ plugins: lock, broken: strange }))
      else rmSync(file, { force: true })
      sweepVersions(store, id, entry)
      for (const name of existsSync(store) ? readdirSync(store) : []) {
        // Left by a command that was killed before it wrote the lock.
        if (!lock.has(name) && !strange.has(name)) rmSync(join(store, name), { recursive: true, force: true })
      }
    },
    [Symbol.dispose]() {
      rmSync(staging, { recursive: true, force: true })
      removeIfEmpty(store)
      unlock()
      removeIfEmpty(dirname(store))
    },
  }
}

/** Of one plugin, the version in use and the one before it stay. */
function sweepVersions(store: string, id: string, entry: LockedPlugin | undefined): void {
  const kept = [entry, entry?.previous].flatMap((version) => (version ? [storeFolder(store, id, version)] : []))
  const names = new Set(kept.flatMap((folder) => [basename(folder), basename(fileListOf(folder))]))
  const own = join(store, id)
  if (!existsSync(own)) return
  for (const name of readdirSync(own)) if (!names.has(name)) rmSync(join(own, name), { recursive: true, force: true })
  removeIfEmpty(own)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST') throw error
  }
}
