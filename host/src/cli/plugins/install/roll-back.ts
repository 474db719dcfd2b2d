import { refuse } from '#kernel/package/refusals.ts'
import type { InstallOutcome } from './install-plugin.ts'
import type { PluginHome } from './plugin-home.ts'
import { findChanges } from './verify-files.ts'

/** Returns to the version before, which was agreed to when it was installed; a second time goes forward again. */
export function rollBack(plugins: PluginHome, id: string): InstallOutcome {
  const locked = plugins.lock.get(id)
  if (!locked?.previous) throw refuse(id, 'no-previous', {})
  const { previous, ...current } = locked
  if (findChanges(plugins.folderOf(id, previous), previous).length > 0) throw refuse(id, 'files-mismatch', {})
  plugins.write(id, { ...previous, previous: current })
  return { id, version: previous.version, before: current.version, same: false }
}
