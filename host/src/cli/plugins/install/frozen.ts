import { checkInstalled } from '#kernel/installed/check-installed.ts'
import type { LockedPlugin } from '#kernel/installed/plugin-lock.ts'
import { parseSpec, type Spec } from '#kernel/package/parse-spec.ts'
import { refuse } from '#kernel/package/refusals.ts'
import type { Cli } from '../../console/cli.ts'
import { type PreparedPackage, preparePackage } from '../package/prepare-package.ts'
import { createProgress } from '../package/progress.ts'
import type { InstallOutcome } from './install-plugin.ts'
import type { PluginHome } from './plugin-home.ts'
import { findChanges } from './verify-files.ts'

/** Makes the store what the lock says, bit for bit, or changes nothing. The lock itself is only read. */
export async function installFrozen(cli: Cli, plugins: PluginHome): Promise<readonly InstallOutcome[]> {
  const [strange] = plugins.broken
  if (strange) throw refuse(strange[0], 'lock-stale', { problem: strange[1].problem })
  const step = createProgress(cli)
  const missing: { readonly id: string; readonly locked: LockedPlugin; readonly prepared: PreparedPackage }[] = []
  for (const [id, locked] of plugins.lock) {
    if (isInPlace(plugins, id, locked)) continue
    const spec = exactSpec(locked)
    const prepared = await preparePackage({ spec, staging: plugins.staging, npm: cli, step, pinned: locked })
    compare(id, locked, prepared)
    missing.push({ id, locked, prepared })
  }
  for (const { id, locked, prepared } of missing) plugins.keep(id, locked, prepared.folder)
  const done = new Set(missing.map(({ id }) => id))
  return [...plugins.lock].map(([id, { version }]) => ({ id, version, before: version, same: !done.has(id) }))
}

function isInPlace(plugins: PluginHome, id: string, locked: LockedPlugin): boolean {
  const folder = plugins.folderOf(id, locked)
  return checkInstalled(folder, id, locked) === undefined && findChanges(folder, locked).length === 0
}

/** A range could mean another version today. */
function exactSpec(locked: LockedPlugin): Exclude<Spec, { type: 'link' }> {
  const spec = parseSpec(locked.spec, '/')
  if (spec.type === 'link') throw refuse(locked.package, 'lock-stale', { problem: 'a link is not part of a lock' })
  return spec.type === 'npm' ? { ...spec, text: `${locked.package}@${locked.version}` } : spec
}

function compare(id: string, locked: LockedPlugin, { checked, described }: PreparedPackage): void {
  const { file, manifest } = checked
  if (manifest.id !== id) throw refuse(file.name, 'id-changed', { id: manifest.id, wanted: id })
  if (described.files !== locked.files) throw refuse(file.name, 'files-mismatch', {})
  const names = ['package', 'version', 'manifest', 'surfaceHash'] as const
  const different = names.find((name) => described[name] !== locked[name])
  if (different) throw refuse(file.name, 'lock-stale', { problem: `${different} is not what the package has` })
  if (locked.consent.hash !== described.surfaceHash)
    throw refuse(file.name, 'lock-stale', { problem: 'nobody has agreed to what it declares' })
}
