import { cpSync, existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { ensureFolder } from '#config/home/home.ts'
import { formatFileList, hashFiles, hashOf, isLink } from '#kernel/installed/plugin-files.ts'
import { trialFile } from './find-skills.ts'

/** Copies a skill to where it is wanted, in place of one that is there: it is there as a whole or not at all, also after a crash. */
export function placeSkill(from: string, to: string): void {
  const { fresh, former } = besides(to)
  ensureFolder(dirname(to))
  rmSync(fresh, { recursive: true, force: true })
  try {
    cpSync(from, fresh, { recursive: true, filter: (path) => path !== join(from, trialFile) })
    if (existsSync(to)) renameSync(to, former)
    renameSync(fresh, to)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    finishPlacing(to)
  }
}

/** Brings back what a crash has moved aside, or ends what it has left. */
export function finishPlacing(folder: string): void {
  const { former } = besides(folder)
  if (!existsSync(former)) return
  if (existsSync(folder)) rmSync(former, { recursive: true, force: true })
  else renameSync(former, folder)
}

/** The hash of a skill's files; its conversation is none of what is placed. */
export function hashSkill(folder: string): string {
  return hashOf(formatFileList(hashFiles(folder).filter(({ path }) => path !== trialFile)))
}

/** The hash of all that a script of a skill may start, its conversation too; undefined where a link leads out of the folder, to what nobody watches. */
export function hashForGrant(folder: string): string | undefined {
  const files = hashFiles(folder)
  const root = `${realpathSync(folder)}${sep}`
  const leadsOut = (path: string): boolean => isLink(path) && !(existsSync(path) && realpathSync(path).startsWith(root))
  return files.some(({ path }) => leadsOut(join(folder, path))) ? undefined : hashOf(formatFileList(files))
}

const besides = (folder: string): { readonly fresh: string; readonly former: string } => ({
  fresh: join(dirname(folder), `.${basename(folder)}.new`),
  former: join(dirname(folder), `.${basename(folder)}.former`),
})
