import * as z from 'zod/mini'
import type { FolderStore, GitWish } from './open-store.ts'

/** What stands in the message of a snapshot. */
const aboutSchema = z.object({
  /** By which people name the checkpoint; the state before it and the state after it share it. */
  number: z.int(),
  /** The order in which they were made. */
  order: z.int(),
  kind: z.enum(['turn', 'rollback']),
  phase: z.enum(['before', 'after']),
  at: z.number(),
  session: z.string(),
  /** How many files the turn, or the rollback, has changed; known afterwards. */
  changed: z.optional(z.int()),
})

export type AboutSnapshot = z.infer<typeof aboutSchema>

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
  const found = printed.toString('utf8').split('\n').flatMap(parseLine)
  return found.sort((a, b) => a.order - b.order)
}

function parseLine(line: string): readonly FolderSnapshot[] {
  const [, ref = '', commit = '', subject = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
  try {
    const parsed = aboutSchema.safeParse(JSON.parse(subject))
    return parsed.success ? [{ ...parsed.data, ref, commit }] : []
  } catch {
    // Not one of ours.
    return []
  }
}
