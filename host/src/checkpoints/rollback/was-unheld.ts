import { type BytesPath, parentsOf, splitPaths } from '../store/bytes-path.ts'
import type { TreeChange } from '../store/diff-trees.ts'
import type { FolderStore } from '../store/open-store.ts'

/**
 * Whether a file that appears between two snapshots may have stood there at the first of them without being held. A repository that is one no
 * more, and a rule that is gone or changed, bring files to light that nobody has made.
 */
export function createWasUnheld(
  unheld: readonly BytesPath[],
  changes: readonly Pick<TreeChange, 'path' | 'status'>[],
): (path: BytesPath) => boolean {
  const known = new Set(unheld)
  const ruled = changes.flatMap(({ path, status }) => {
    const [, folder] = /^(|.*\/)\.gitignore$/s.exec(path) ?? []
    return folder === undefined || status === 'A' ? [] : [folder]
  })
  return (path) =>
    known.has(path) || parentsOf(path).some((parent) => known.has(`${parent}/`)) || ruled.some((folder) => path.startsWith(folder))
}

/** What stood there and was not held; nothing for a snapshot of an older version, which did not say it. */
export async function readUnheld(
  { store }: Pick<FolderStore, 'store'>,
  commit: string,
  signal: AbortSignal,
): Promise<readonly BytesPath[]> {
  const printed = await store.git(['cat-file', '--batch'], { signal, input: Buffer.from(`${commit}:unheld\n`) })
  const end = printed.indexOf(10)
  return printed.toString('latin1', 0, end).endsWith(' missing') ? [] : splitPaths(printed.subarray(end + 1, -1))
}
