import { mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesOf } from '#kernel/installed/check-installed.ts'
import { manifestName } from '#kernel/installed/manifest-file.ts'
import { formatFileList, type HashedFile, hashFile, hashFiles, hashOf } from '#kernel/installed/plugin-files.ts'
import type { LockedVersion } from '#kernel/installed/plugin-lock.ts'
import { hashSurface, surfaceOf } from '#kernel/installed/plugin-surface.ts'
import { extractPackage } from '#kernel/package/extract-package.ts'
import { fetchPackage } from '#kernel/package/fetch-package.ts'
import type { Spec } from '#kernel/package/parse-spec.ts'
import { refuse } from '#kernel/package/refusals.ts'
import type { NpmOptions } from '#kernel/package/run-npm.ts'
import { type CheckedPackage, checkPackage, readPackageFile } from './check-package.ts'
import { installDependencies } from './install-dependencies.ts'
import type { ProgressStep } from './progress.ts'

/** What the lock will say, without what only the moment of installing knows. */
export type Described = Omit<LockedVersion, 'consent' | 'installedAt'>

/** A package in the staging folder that has passed the gates; its code has not run. */
export interface PreparedPackage {
  readonly folder: string
  readonly checked: CheckedPackage
  readonly described: Described
}

export interface PrepareOptions {
  readonly spec: Exclude<Spec, { type: 'link' }>
  readonly staging: string
  readonly npm: Pick<NpmOptions, 'environment' | 'signal'>
  readonly step: ProgressStep
  /** The entry that has to come out again, bit for bit. */
  readonly pinned?: LockedVersion
}

/** Fetches, unpacks and judges a package. */
export async function preparePackage({ spec, staging, step, pinned, ...options }: PrepareOptions): Promise<PreparedPackage> {
  const cwd = mkdtempSync(join(staging, 'package-'))
  const npm = { ...options.npm, cwd, cache: join(staging, 'npm') }
  const fetched = await step(`Fetching ${spec.text}`, () => fetchPackage(spec, npm))
  // What npm packs from git depends on the version of npm: the files are compared below.
  if (pinned && spec.type !== 'git' && fetched.integrity !== pinned.integrity) {
    throw refuse(fetched.name, 'integrity-mismatch', { found: fetched.integrity, wanted: pinned.integrity })
  }
  const folder = join(cwd, 'package')
  await step(`Unpacking ${fetched.name}`, () => extractPackage(fetched.tarball, folder, fetched.name, npm.signal))
  const file = readPackageFile(folder, fetched.name)
  const dependencies = await step(`Fetching what ${file.name} depends on`, () =>
    installDependencies(folder, file, npm, pinned?.dependencies),
  )
  const checked = await checkPackage(folder, file)
  const surface = surfaceOf(checked.raw)
  const files = hashFiles(folder)
  const described: Described = {
    spec: spec.text,
    package: file.name,
    version: file.version,
    resolved: fetched.resolved,
    registry: fetched.registry,
    integrity: fetched.integrity,
    files: hashOf(formatFileList(files)),
    manifest: hashFile(join(folder, manifestName)),
    entries: Object.fromEntries(pickCode(files, entriesOf(checked.raw)).map(({ path, hash }) => [path, hash])),
    dependencies,
    surface,
    surfaceHash: hashSurface(surface),
  }
  return { folder, checked, described }
}

/** The entries, and the code that lies beside them: builders cut one bundle into several files. */
function pickCode(files: readonly HashedFile[], entries: readonly string[]): readonly HashedFile[] {
  const folders = new Set(entries.map((entry) => dirname(entry)))
  return files.filter(({ path }) => entries.includes(path) || (folders.has(dirname(path)) && /\.[cm]?js$/.test(path)))
}
