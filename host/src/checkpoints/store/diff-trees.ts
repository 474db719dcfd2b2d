import { type BytesPath, splitPaths } from './bytes-path.ts'
import type { FolderStore } from './open-store.ts'

export type ChangeStatus = 'A' | 'D' | 'M'

/** How a file differs between two states. */
export interface TreeChange {
  readonly path: BytesPath
  readonly status: ChangeStatus
  /** As git has it in the later state: 100644, 100755 or 120000. */
  readonly mode: string
  readonly blob: string
}

/** The files in which a later state differs from an earlier one; commits and trees name both. */
export async function diffTrees(
  { store }: Pick<FolderStore, 'store'>,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly TreeChange[]> {
  const printed = await store.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', `${from}:files`, `${to}:files`], { signal })
  const parts = splitPaths(printed)
  const changes: TreeChange[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , blob = '', status = ''] = (parts[at] ?? '').slice(1).split(' ')
    changes.push({ path: parts[at + 1] ?? '', status: status === 'A' || status === 'D' ? status : 'M', mode, blob })
  }
  return changes
}
