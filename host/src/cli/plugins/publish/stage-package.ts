import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { extractPackage } from '#kernel/package/extract-package.ts'
import { type Published, withPublished } from '#kernel/package/published.ts'
import { type NpmOptions, runNpm } from '#kernel/package/run-npm.ts'
import { checkPackage, readPackageFile } from '../package/check-package.ts'

/** The tarball that would be uploaded, byte for byte. */
export interface StagedPackage {
  readonly tarball: string
  readonly integrity: string
  readonly bytes: number
  readonly unpackedBytes: number
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
}

/**
 * Packs a folder as npm does, writes into the copy of its package.json what the check has found, and packs that. The author's own file stays as it is.
 * What an installation would refuse is refused here.
 */
export async function stagePackage(name: string, published: Published, scratch: string, npm: NpmOptions): Promise<StagedPackage> {
  const [packed, folder, final] = ['packed', 'package', 'final'].map((word) => join(scratch, word)) as [string, string, string]
  for (const path of [packed, final]) mkdirSync(path)
  const first = await pack(name, packed, npm)
  await extractPackage(first.tarball, folder, name, npm.signal)
  const file = join(folder, 'package.json')
  const about = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  writeFileSync(file, `${JSON.stringify(withPublished(about, published), null, 2)}\n`)
  await checkPackage(folder, readPackageFile(folder, name))
  return await pack(name, final, { ...npm, cwd: folder })
}

interface Packed {
  readonly filename?: string
  readonly integrity?: string
  readonly size?: number
  readonly unpackedSize?: number
  readonly files?: readonly { readonly path: string; readonly size: number }[]
}

async function pack(name: string, destination: string, npm: NpmOptions): Promise<StagedPackage> {
  const answer = (await runNpm(name, ['pack', '--workspaces=false', `--pack-destination=${destination}`], npm)) as
    | readonly Packed[]
    | undefined
  const { filename, integrity = '', size = 0, unpackedSize = 0, files = [] } = answer?.[0] ?? {}
  if (filename === undefined) throw fail('PLUGIN_FETCH', { what: name, detail: 'npm named no file' })
  return {
    // Scoped names come with a slash, the file has none.
    tarball: join(destination, basename(filename.replace(/^@/, '').replaceAll('/', '-'))),
    integrity,
    bytes: size,
    unpackedBytes: unpackedSize,
    files: files.map((file) => ({ path: file.path, bytes: file.size })),
  }
}
