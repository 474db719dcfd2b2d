import type { AboutSnapshot, parseAbout } from './about-snapshot.ts'
import type { FolderStore, GitWish } from './open-store.ts'

export interface FolderSnapshot extends AboutSnapshot {
  readonly ref: string
  readonly commit: string
}

export const refOf = (id: string, { number, phase }: Pick<AboutSnapshot, 'number' | 'phase'>): string =>
  `refs/agent/${id}/${number}-${phase}`

/** What is kept of a folder, in the order in which it was made. */
export async function readSnapshots({ id, store }: Pick<FolderStore, 'id' | 'store'>, wish: GitWish): Promise<readonly FolderSnapshot[]> {
  const format = '--format=%(refname) %(objectname) %(contents:subject)'
  const printed = await store.git(['for-each-ref', format, `refs/agent/${id}/`], wish)
  // A start without checkpoints reads no schema.
  const { parseAbout } = await import('./about-snapshot.ts')
  const found = printed
    .toString('utf8')
    .split('\n')
    .flatMap((line) => parseLine(line, parseAbout))
  return found.sort((a, b) => a.order - b.order)
}

function parseLine(line: string, parse: typeof parseAbout): readonly FolderSnapshot[] {
  const [, ref = '', commit = '', subject = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
  const about = parse(subject)
  return about ? [{ ...about, ref, commit }] : []
}
