import { readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '#config/home/home.ts'
import { isLink, linkPlugin } from '../install/link-plugin.ts'

/** Links a plugin until what is given back is called: then the links are as before. That answers whether something changed. */
export async function linkForNow(home: Home, id: string, folder: string): Promise<() => boolean> {
  const link = join(home.files.pluginsLocal, id)
  const before = isLink(link) ? readlinkSync(link) : undefined
  const { same } = await linkPlugin(home, folder)
  return () => {
    // A person who has made another link meanwhile wants that one.
    if (same || !isLink(link) || readlinkSync(link) !== folder) return false
    rmSync(link)
    if (before !== undefined) symlinkSync(before, link, 'junction')
    return true
  }
}
