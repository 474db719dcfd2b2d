import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type IgnoreRule, isIgnored, parseIgnoreRules, skippedFolders } from './ignore-rules.ts'

export interface FoundFile {
  readonly absolute: string
  /** From the start of the search, with `/`. */
  readonly path: string
}

/** All files below a folder in a stable order, without what `.gitignore` names; links are not followed. A file stands for itself. */
export async function* walkFiles(start: string, signal: AbortSignal): AsyncGenerator<FoundFile> {
  if ((await stat(start)).isFile()) {
    yield { absolute: start, path: basename(start) }
    return
  }
  yield* walkFolder(start, '', await rulesAbove(start), signal)
}

async function* walkFolder(start: string, folder: string, above: readonly IgnoreRule[], signal: AbortSignal): AsyncGenerator<FoundFile> {
  signal.throwIfAborted()
  const entries = await listFolder(join(start, folder), { mustExist: folder === '' })
  const own = entries.some(({ name }) => name === '.gitignore') ? await readRules(join(start, folder), folder) : []
  const rules = [...above, ...own]
  for (const entry of entries) {
    const path = folder + entry.name
    if (entry.isDirectory()) {
      if (skippedFolders.has(entry.name) || isIgnored(rules, path, { folder: true })) continue
      yield* walkFolder(start, `${path}/`, rules, signal)
    } else if (entry.isFile() && !isIgnored(rules, path, { folder: false })) {
      yield { absolute: join(start, path), path }
    }
  }
}

/** A folder inside that may not be read is passed over; the start must be readable. */
async function listFolder(path: string, { mustExist }: { readonly mustExist: boolean }): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (mustExist) throw error
    return []
  }
}

async function readRules(folder: string, relative: string): Promise<readonly IgnoreRule[]> {
  const text = await readFile(join(folder, '.gitignore'), 'utf8').catch(() => '')
  return parseIgnoreRules(text, relative)
}

/** Rules without a slash hold below the repository's root, also when the search starts further down. */
async function rulesAbove(start: string): Promise<readonly IgnoreRule[]> {
  const rules: IgnoreRule[] = []
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    const isRoot = await stat(join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (folder !== start) rules.unshift(...(await readRules(folder, '')))
    if (isRoot) return rules
  }
  return []
}
