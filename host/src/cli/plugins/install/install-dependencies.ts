import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageFile } from './check-package.ts'
import { type NpmOptions, runNpm } from './run-npm.ts'

type Dependencies = Readonly<Record<string, unknown>>

/**
 * What a package could not bundle goes into a node_modules of its own. `pinned` are the versions of a lock, taken exactly.
 * Gives back what npm chose, so that it can be repeated.
 */
export async function installDependencies(
  folder: string,
  file: PackageFile,
  npm: NpmOptions,
  pinned?: Dependencies,
): Promise<Dependencies> {
  if (Object.keys(file.dependencies).length === 0) return {}
  if (pinned) writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(toPackageLock(file, pinned)))
  const exact = pinned !== undefined || existsSync(join(folder, 'npm-shrinkwrap.json'))
  // Links to programs lead across folders, and nothing here starts programs.
  await runNpm([exact ? 'ci' : 'install', '--no-bin-links', '--install-links', '--workspaces=false'], { ...npm, cwd: folder })
  const kept = join(folder, 'node_modules', '.package-lock.json')
  const { packages = {} } = existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as { packages?: Dependencies }) : {}
  // npm's notes hold times and paths: without them the same versions are the same files.
  rmSync(kept, { force: true })
  rmSync(join(folder, 'package-lock.json'), { force: true })
  return packages
}

function toPackageLock({ name, version, dependencies }: PackageFile, pinned: Dependencies): unknown {
  return { name, version, lockfileVersion: 3, requires: true, packages: { '': { name, version, dependencies }, ...pinned } }
}
