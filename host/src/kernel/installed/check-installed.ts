import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type KindRow, kinds } from '../kinds.ts'
import { because, type Reason } from '../reasons.ts'
import { fileIn, manifestName } from './manifest-file.ts'
import { hashFile, hashOf, parseFileList } from './plugin-files.ts'
import { fileListOf, type LockedPlugin } from './plugin-lock.ts'
import { canonicalJson, hashSurface, surfaceOf } from './plugin-surface.ts'

/** Cheap enough for every start: the manifest and the entries are what was installed, and the lock fits them. The rest is for `verify`. */
export function checkInstalled(folder: string, id: string, locked: LockedPlugin): Reason | undefined {
  const contradicts = (problem: string): Reason => because('lock-mismatch', { problem, plugin: id })
  if (!existsSync(folder)) {
    return hasStrangers(folder, locked)
      ? contradicts(`version ${locked.version} of it is not in the store, another one is`)
      : because('store-missing', { folder })
  }
  for (const [path, hash] of Object.entries({ [manifestName]: locked.manifest, ...locked.entries })) {
    const found = hashIfThere(join(folder, path))
    if (found === hash) continue
    return isInList(folder, path, found)
      ? contradicts(`its hash of ${path} is not that of the file that was installed`)
      : because('integrity-modified', { file: join(folder, path) })
  }
  return findContradiction(folder, id, locked, contradicts)
}

/** What a hand that edits the lock forgets. */
function findContradiction(
  folder: string,
  id: string,
  { version, entries, surface, surfaceHash, consent }: LockedPlugin,
  contradicts: (problem: string) => Reason,
): Reason | undefined {
  const manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as { readonly id?: unknown; readonly version?: unknown }
  if (manifest.id !== id) return contradicts(`the manifest names another plugin, ${String(manifest.id)}`)
  if (manifest.version !== version) return contradicts(`the manifest says version ${String(manifest.version)}, not ${version}`)
  const unlisted = entriesOf(manifest).find((path) => entries[path] === undefined)
  if (unlisted) return contradicts(`it has no hash of ${unlisted}`)
  const declared = surfaceOf(manifest)
  if (canonicalJson(surface) !== canonicalJson(declared)) return contradicts('its surface is not what the manifest declares')
  const hash = hashSurface(declared)
  if (surfaceHash !== hash) return contradicts('its surfaceHash is not that of its surface')
  return consent.hash === hash ? undefined : contradicts('nobody has agreed to what the manifest declares')
}

/** The files that the parts of a raw manifest begin with: bundles, and the SKILL.md of skills. */
export function entriesOf(manifest: unknown): readonly string[] {
  const contributes = (manifest as { readonly contributes?: Readonly<Record<string, unknown>> }).contributes ?? {}
  const files = Object.entries(contributes).flatMap(([list, specs]) =>
    (Array.isArray(specs) ? (specs as readonly { readonly entry?: unknown; readonly path?: unknown }[]) : []).flatMap(
      (spec) => fileIn(rowOfList(list), spec) ?? [],
    ),
  )
  return [...new Set(files)].sort()
}

function rowOfList(list: string): KindRow | undefined {
  return Object.values<KindRow>(kinds).find((row) => row.list === list)
}

/** Another version of the plugin is in the store, and the lock does not know it as the previous one. */
function hasStrangers(folder: string, { previous }: LockedPlugin): boolean {
  const known = previous && `${previous.version}-${previous.files.slice(0, 8)}`
  if (!existsSync(dirname(folder))) return false
  const versions = readdirSync(dirname(folder), { withFileTypes: true }).filter((each) => each.isDirectory())
  return versions.some(({ name }) => name !== known && name !== basename(folder))
}

function isInList(folder: string, path: string, hash: string | undefined): boolean {
  const list = fileListOf(folder)
  if (hash === undefined || !existsSync(list)) return false
  const text = readFileSync(list, 'utf8')
  // The folder is named after the hash of its list.
  if (!folder.endsWith(`-${hashOf(text).slice(0, 8)}`)) return false
  return parseFileList(text).some((each) => each.path === path && each.hash === hash)
}

function hashIfThere(path: string): string | undefined {
  return existsSync(path) ? hashFile(path) : undefined
}
