import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuse } from '#kernel/package/refusals.ts'
import { type NpmOptions, runNpm } from '#kernel/package/run-npm.ts'
import type { PackageFile } from './check-package.ts'

type Dependencies = Readonly<Record<string, unknown>>

/**
 * What a package could not bundle goes into its own node_modules. `pinned` are the versions of a lock, taken exactly.
 * Gives back what npm chose, so that it can be repeated.
 */
export async function installDependencies(
  folder: string,
  file: PackageFile,
  npm: NpmOptions,
  pinned?: Dependencies,
): Promise<Dependencies> {
  for (const [name, source] of Object.entries(file.dependencies)) {
    if (!isRange(source)) throw refuse(file.name, 'dependency-source', { name, source })
  }
  if (Object.keys(file.dependencies).length === 0 || existsSync(join(folder, 'node_modules'))) return {}
  // Not in the package's own folder: an .npmrc or overrides in it would tell npm what to do, and where to send what.
  const cwd = mkdtempSync(join(npm.cwd, 'dependencies-'))
  const { name, version, dependencies } = file
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name, version, dependencies }))
  const exact = writePins(folder, cwd, file, pinned)
  // Links to programs lead across folders, and nothing here starts programs.
  await runNpm('What it depends on', [exact ? 'ci' : 'install', '--no-bin-links', '--install-links', '--workspaces=false'], { ...npm, cwd })
  const chosen = readChosen(join(cwd, 'node_modules', '.package-lock.json'), file)
  renameSync(join(cwd, 'node_modules'), join(folder, 'node_modules'))
  return chosen
}

function writePins(folder: string, cwd: string, { name, version, dependencies }: PackageFile, pinned: Dependencies | undefined): boolean {
  const shrinkwrap = join(folder, 'npm-shrinkwrap.json')
  if (pinned) {
    const packages = { '': { name, version, dependencies }, ...pinned }
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ name, version, lockfileVersion: 3, requires: true, packages }))
  } else if (existsSync(shrinkwrap)) {
    copyFileSync(shrinkwrap, join(cwd, 'npm-shrinkwrap.json'))
  } else {
    return false
  }
  return true
}

/** Reads npm's notes and takes them away: they hold times, without which the same versions are the same files. */
function readChosen(notes: string, file: PackageFile): Dependencies {
  const { packages = {} } = existsSync(notes) ? (JSON.parse(readFileSync(notes, 'utf8')) as { packages?: Dependencies }) : {}
  rmSync(notes, { force: true })
  for (const [path, about] of Object.entries(packages)) {
    const { resolved = 'https:', integrity, inBundle, link } = about as Readonly<Record<string, unknown>>
    const isFetched = typeof integrity === 'string' && /^https?:/.test(String(resolved))
    if (link === true || (!isFetched && inBundle !== true)) {
      throw refuse(file.name, 'dependency-source', { name: path.replace(/^.*node_modules\//, ''), source: String(resolved) })
    }
  }
  return packages
}

/** A version, a range or a tag of a registry; everything else would reach into this machine or past the registry. */
function isRange(source: string): boolean {
  return typeof source === 'string' && /^(npm:)?[^/:]*$|^npm:@[^/:]+\/[^/:]+$/.test(source) && !/^[.~]+$/.test(source)
}
