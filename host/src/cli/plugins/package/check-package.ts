import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Manifest } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { entriesOf } from '#kernel/installed/check-installed.ts'
import { manifestName, readManifest } from '#kernel/installed/manifest-file.ts'
import { limits } from '#kernel/package/extract-package.ts'
import { refuse } from '#kernel/package/refusals.ts'

export interface PackageFile {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** A package that has passed every gate which needs no code to run. */
export interface CheckedPackage {
  readonly file: PackageFile
  readonly manifest: Manifest
  /** As it is written. */
  readonly raw: unknown
}

/** What npm would run for a package that comes from a registry. */
const installScripts = ['preinstall', 'install', 'postinstall'] as const

/** The package.json of an unpacked package; scripts that an installation would run are refused here, not merely left out. */
export function readPackageFile(folder: string, asked: string): PackageFile {
  const { name, version, dependencies = {}, scripts = {} } = readJson(join(folder, 'package.json'), asked)
  if (typeof name !== 'string' || typeof version !== 'string')
    throw refuse(asked, 'package-invalid', { problem: 'names no name and version' })
  const script = installScripts.find((each) => Object.hasOwn(scripts as object, each))
  if (script) throw refuse(asked, 'install-script', { name: script, package: name })
  // npm would run node-gyp for it without being asked.
  if (existsSync(join(folder, 'binding.gyp'))) throw refuse(asked, 'install-script', { name: 'binding.gyp', package: name })
  return { name, version, dependencies: dependencies as Readonly<Record<string, string>> }
}

/** Everything about the unpacked files, those of its dependencies included. */
export async function checkPackage(folder: string, file: PackageFile): Promise<CheckedPackage> {
  const { name } = file
  checkTree(folder, name)
  const read = await readManifest({ folder, source: 'installed' })
  if (!read.ok) throw refuse(name, 'manifest-invalid', { problem: read.reason.text })
  const { manifest } = read.plugin
  if (manifest.version !== file.version) {
    throw refuse(name, 'manifest-invalid', { problem: `it says version ${manifest.version}, package.json says ${file.version}` })
  }
  const raw = readJson(join(folder, manifestName), name)
  const missing = entriesOf(raw).find((entry) => !isFileInside(folder, entry))
  if (missing) throw refuse(name, 'entry-missing', { entry: missing })
  return { file, manifest, raw }
}

function checkTree(folder: string, name: string): void {
  let [files, bytes] = [0, 0]
  for (const path of readdirSync(folder, { recursive: true }) as readonly string[]) {
    const about = lstatSync(join(folder, path))
    if (about.isSymbolicLink()) throw refuse(name, 'link-inside', { path, target: readlinkSync(join(folder, path)) })
    if (about.isDirectory()) continue
    if (!about.isFile()) throw refuse(name, 'special-file', { path })
    files += 1
    bytes += about.size
    if (files > limits.files) throw refuse(name, 'too-many-files', { limit: limits.files })
    if (bytes > limits.mebibytes * 1_048_576) throw refuse(name, 'too-large', { limit: limits.mebibytes })
    if (/\.(node|dll|dylib|so)$/i.test(path)) throw refuse(name, 'native-addon', { path })
    if (/(^|[\\/])node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path)) readPackageFile(join(folder, path, '..'), name)
  }
}

function isFileInside(folder: string, entry: string): boolean {
  const path = join(folder, entry)
  return path.startsWith(folder + sep) && existsSync(path) && lstatSync(path).isFile()
}

function readJson(file: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
    throw new Error('it is no object')
  } catch (error) {
    const problem = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : `cannot be read: ${detailOf(error)}`
    throw refuse(name, 'package-invalid', { problem }, { cause: error })
  }
}
