import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { cloneProfile } from '#config/home/clone-profile.ts'
import type { Home } from '#config/home/home.ts'
import { fileReason } from '#kernel/read-text.ts'
import { copyStore } from '#store/sqlite/copy-store.ts'

interface BackupOptions {
  readonly home: Home
  /** `quick`: settings, secrets, what is remembered and said; `full`: skills and plugins too. */
  readonly extent: 'quick' | 'full'
  /** How many backups stay, this one included; 0: all. */
  readonly keep: number
  /** Names the backup. */
  readonly now: Date
  /** The built part of SQLite, where it is not beside its package. */
  readonly binding: string | undefined
}

const quick = ['config.yaml', '.env', 'auth.json', 'SOUL.md', 'memories']

/** Copies a home into a folder of its `backups` and gives that folder; it is there as a whole or not at all. The oldest go. */
export async function backUpHome({ home, extent, keep, now, binding }: BackupOptions): Promise<string> {
  const folder = join(home.path, 'backups')
  const made = join(folder, now.toISOString().slice(0, 19).replaceAll(':', '-'))
  const draft = `${made}.tmp`
  try {
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true, mode: 0o700 })
    if (extent === 'full') cloneProfile(home, draft, 'all')
    else
      for (const name of quick.filter((each) => existsSync(join(home.path, each))))
        cpSync(join(home.path, name), join(draft, name), { recursive: true })
    if (existsSync(home.files.state)) await copyStore(home.files.state, join(draft, 'state.db'), binding)
    rmSync(made, { recursive: true, force: true })
    renameSync(draft, made)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error instanceof Error && 'errno' in error)
      throw fail('HOME_UNUSABLE', { path: draft, reason: fileReason(error) }, { cause: error })
    throw error
  }
  const all = readdirSync(folder)
    .filter((name) => /^\d{4}-\d\d-\d\dT[\d-]+$/.test(name))
    .sort()
  for (const name of keep > 0 ? all.slice(0, -keep) : []) rmSync(join(folder, name), { recursive: true, force: true })
  return made
}
