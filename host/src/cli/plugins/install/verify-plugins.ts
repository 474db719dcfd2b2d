import { checkInstalled } from '#kernel/installed/check-installed.ts'
import type { ReasonCode } from '#kernel/reasons.ts'
import type { PluginHome } from './plugin-home.ts'
import { type FileChange, findChanges } from './verify-files.ts'

export interface Verified {
  readonly id: string
  readonly version: string
  /** What a start would say of it. */
  readonly reason: ReasonCode | null
  readonly detail: string | null
  readonly changes: readonly FileChange[]
}

/** What a start compares, and every other file as well. */
export function verifyPlugins({ lock, broken, folderOf }: PluginHome, ids: readonly string[]): readonly Verified[] {
  const strange = [...broken].map(
    ([id, { problem }]): Verified => ({ id, version: '', reason: 'lock-mismatch', detail: problem, changes: [] }),
  )
  const verified = [...lock]
    .filter(([id]) => ids.includes(id))
    .map(([id, locked]): Verified => {
      const folder = folderOf(id, locked)
      const reason = checkInstalled(folder, id, locked)
      return {
        ...{ id, version: locked.version, reason: reason?.code ?? null, detail: reason?.text ?? null },
        changes: findChanges(folder, locked),
      }
    })
  return [...verified, ...strange]
}
