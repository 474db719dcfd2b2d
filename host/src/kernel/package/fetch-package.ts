import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type RegistryVersion, readPacked, readVersion } from './npm-words.ts'
import type { Spec } from './parse-spec.ts'
import { type NpmOptions, runNpm } from './run-npm.ts'

/** A tarball in the staging folder, not looked into yet. */
export interface FetchedPackage {
  readonly tarball: string
  /** For people, until the package has told its own name. */
  readonly name: string
  readonly resolved: string
  readonly registry: string
  readonly integrity: string
}

/** Brings a package into the staging folder by way of npm; nothing of it is run or unpacked. */
export async function fetchPackage(spec: Exclude<Spec, { type: 'link' }>, npm: NpmOptions, run = runNpm): Promise<FetchedPackage> {
  if (spec.type === 'file') return copyFile(spec.path, npm.cwd)
  if (spec.type === 'git') {
    const tarball = await pack(`${spec.url}#${spec.commit}`, withoutPreparing(`${spec.url}#${spec.commit}`, npm), run)
    return { tarball, name: basename(spec.url, '.git'), resolved: spec.text, registry: '', integrity: integrityOf(tarball) }
  }
  const { name, version, resolved, integrity } = await askRegistry(spec.text, npm, run)
  const tarball = await pack(`${name}@${version}`, npm, run)
  const found = integrityOf(tarball)
  if (integrity.startsWith('sha512-') && found !== integrity) {
    throw fail('PLUGIN_FETCH', { what: spec.text, detail: `the registry sent ${found}, but promised ${integrity}` })
  }
  return { tarball, name, resolved, registry: resolved.split(`/${name}/-/`)[0] ?? '', integrity: found }
}

/**
 * npm takes this commit for prepared: it would bring all that the commit is built with, for scripts that it then may not run.
 * An npm that does not know the word brings it and leaves it.
 */
function withoutPreparing(commit: string, npm: NpmOptions): NpmOptions {
  return { ...npm, environment: { ...npm.environment, _PACOTE_NO_PREPARE_: commit } }
}

/** SHA-512 of a tarball as registries write it. */
function integrityOf(tarball: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
}

async function askRegistry(spec: string, npm: NpmOptions, run: typeof runNpm): Promise<RegistryVersion> {
  const found = readVersion(await run(spec, ['view', spec, 'name', 'version', 'dist.tarball', 'dist.integrity'], npm))
  if (!found) throw fail('PLUGIN_FETCH', { what: spec, detail: 'the registry has no version of it that fits' })
  return found
}

async function pack(what: string, npm: NpmOptions, run: typeof runNpm): Promise<string> {
  const filename = readPacked(await run(what, ['pack', `--pack-destination=${npm.cwd}`, '--', what], npm))
  if (filename === undefined) throw fail('PLUGIN_FETCH', { what, detail: 'npm named no file' })
  return join(npm.cwd, filename)
}

function copyFile(path: string, folder: string): FetchedPackage {
  const tarball = join(folder, 'package.tgz')
  try {
    copyFileSync(path, tarball)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw fail('PLUGIN_FETCH', { what: path, detail: code === 'ENOENT' ? 'there is no such file' : String(error) }, { cause: error })
  }
  return { tarball, name: basename(path), resolved: `file:${path}`, registry: '', integrity: integrityOf(tarball) }
}
