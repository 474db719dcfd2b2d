import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '#config/home/home.ts'
import { readManifest } from '#kernel/installed/manifest-file.ts'
import { refuse } from '#kernel/package/refusals.ts'

/** Makes a development link: the plugin runs from the folder that it is written in. */
export async function linkPlugin(
  { files }: Home,
  folder: string,
): Promise<{ readonly id: string; readonly version: string; readonly same: boolean }> {
  const read = await readManifest({ folder, source: 'link' })
  if (!read.ok) throw refuse(folder, 'manifest-invalid', { problem: read.reason.text })
  const { id, version } = read.plugin.manifest
  const link = join(files.pluginsLocal, id)
  if (isLink(link)) {
    if (readlinkSync(link) === folder) return { id, version, same: true }
    rmSync(link)
  } else if (existsSync(link)) {
    throw refuse(folder, 'id-taken', { id, owner: link })
  }
  mkdirSync(files.pluginsLocal, { recursive: true, mode: 0o700 })
  symlinkSync(folder, link, 'junction')
  return { id, version, same: false }
}

/** True for a link, also for one that leads nowhere. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
