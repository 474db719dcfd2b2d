import { explainFailure, readJson, uploadWords } from '#kernel/package/npm-words.ts'
import { obstacle, refusePublishing } from '#kernel/package/publish-refusals.ts'
import { askNpm, type NpmOptions } from '#kernel/package/run-npm.ts'
import type { Target } from './ask-target.ts'
import type { Provenance } from './find-provenance.ts'
import type { OwnPackage } from './read-package.ts'
import type { StagedPackage } from './stage-package.ts'

export interface UploadOptions {
  readonly file: OwnPackage
  readonly staged: StagedPackage
  readonly target: Target
  readonly provenance: Provenance
  readonly npm: NpmOptions
}

/** Hands the tarball to npm. Where the answer was lost, the registry is asked what it has, so that nobody publishes a version a second time for it. */
export async function upload({ file, staged, target, provenance, npm }: UploadOptions): Promise<void> {
  const proof = provenance.made ? ['--provenance', '--access=public'] : ['--provenance=false']
  const words = ['publish', '--workspaces=false', ...target.words, `--tag=${target.tag}`, ...proof, '--', staged.tarball]
  const { code, out, note } = await askNpm(words, npm)
  if (code === 0 || (await hasIt(file, staged, target, npm))) return
  throw refusePublishing(file.name, obstacle('upload-failed', { problem: explainFailure(out, note, uploadWords) }))
}

async function hasIt({ name, version }: OwnPackage, { integrity }: StagedPackage, { words }: Target, npm: NpmOptions): Promise<boolean> {
  const { code, out } = await askNpm(['view', ...words, '--', `${name}@${version}`, 'dist.integrity'], npm)
  return code === 0 && integrity !== '' && readJson(out) === integrity
}
