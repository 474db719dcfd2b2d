import { realpathSync } from 'node:fs'
import { withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { noteFolder } from './prune.ts'
import { nextNumber } from './rollback/roll-back.ts'
import { type SkipOptions, skipReason } from './skip-reason.ts'
import type { BytesPath } from './store/bytes-path.ts'
import { diffTrees } from './store/diff-trees.ts'
import { limits } from './store/limits.ts'
import type { CheckpointStore, FolderStore } from './store/open-store.ts'
import { type FolderSnapshot, readSnapshots } from './store/snapshot-ref.ts'
import { dropSnapshots, keepSnapshot, writeTree } from './store/take-snapshot.ts'
import { markTurn, unmarkTurn } from './store/turn-marks.ts'

/** How one turn keeps what it changes. */
export interface TurnCheckpoint {
  /** Called before whatever may change files; the first call of a turn takes the snapshot, and all wait for it. Never rejects. */
  before(): Promise<void>
  /** Called when the turn is over: keeps the state after it, or forgets a turn that changed nothing. Never rejects. */
  after(): Promise<void>
}

export interface TurnCheckpointOptions extends Omit<SkipOptions, 'folder'> {
  readonly store: CheckpointStore
  readonly workspace: string
  readonly session: string
  readonly signal: AbortSignal
  /** As it is when the turn begins: what another limit would hold in the middle of it would seem made by the turn. */
  readonly largestFile: number
  /** Parts of a folder that are never held. */
  readonly apartOf: (folder: string) => readonly BytesPath[]
  readonly closed: (folder: FolderStore) => void
  readonly say: (text: string) => void
}

interface Taken {
  readonly folder: FolderStore
  readonly tree: string
  readonly snapshot: FolderSnapshot
}

export function createTurnCheckpoint(options: TurnCheckpointOptions): TurnCheckpoint {
  let taking: Promise<Taken | undefined> | undefined
  return {
    before: async () => {
      taking ??= withoutHarm(options, 'What the agent changes now cannot be taken back with /rollback.', () => take(options))
      await taking
    },
    after: async () => {
      const taken = await taking
      if (!taken) return
      try {
        // The person may have interrupted the turn; what it changed is kept all the same.
        const { number } = taken.snapshot
        const consequence = `What this turn has changed counts as edited without the agent: /rollback ${number} all takes it back.`
        await withoutHarm({ ...options, signal: new AbortController().signal }, consequence, () => conclude(options, taken))
      } finally {
        unmarkTurn(options.store, taken.snapshot.ref)
        options.closed(taken.folder)
      }
    },
  }
}

/** No checkpoint is worth a turn. */
async function withoutHarm<T>({ signal, say }: TurnCheckpointOptions, consequence: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) say(`${detailOf(error)} ${consequence}`)
    return undefined
  }
}

const within = <T>({ store: { clock }, signal }: TurnCheckpointOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withTimeLimit({ clock, signal, ms: limits.snapshotMs, what: 'Taking a checkpoint', graceMs: 1000 }, work)

async function take(options: TurnCheckpointOptions): Promise<Taken> {
  const { store, session } = options
  const path = realpathSync(options.workspace)
  const reason = skipReason({ ...options, folder: path })
  if (reason !== undefined) throw fail('CHECKPOINT_SKIPPED', { folder: path, reason })
  const folder = store.of(path)
  return within(options, (signal) =>
    folder.locked(signal, async () => {
      const [tree, snapshots] = await Promise.all([
        writeTree(folder, { signal, apart: options.apartOf(path), largestFile: options.largestFile, inHurry: true }),
        readSnapshots(folder, { signal }),
      ])
      const [number, order] = [nextNumber(snapshots), (snapshots.at(-1)?.order ?? 0) + 1]
      const about = { number, order, kind: 'turn', phase: 'before', at: store.clock.now(), session } as const
      const snapshot = keepSnapshot(folder, tree, about)
      noteFolder(folder)
      markTurn(store, snapshot.ref)
      return { folder, tree, snapshot }
    }),
  )
}

async function conclude(options: TurnCheckpointOptions, { folder, tree, snapshot }: Taken): Promise<void> {
  await within({ ...options, signal: new AbortController().signal }, (signal) =>
    folder.locked(signal, async () => {
      const snapshots = await readSnapshots(folder, { signal })
      // It may have been pruned by another process meanwhile.
      if (!snapshots.some(({ commit }) => commit === snapshot.commit)) return
      const now = await writeTree(folder, { signal, apart: options.apartOf(folder.folder), largestFile: options.largestFile })
      if (now === tree) return dropSnapshots(folder, [snapshot], signal)
      const { number, kind, session } = snapshot
      const changed = (await diffTrees(folder, snapshot.commit, now, signal)).length
      const order = (snapshots.at(-1)?.order ?? 0) + 1
      keepSnapshot(folder, now, { number, order, kind, phase: 'after', at: options.store.clock.now(), session, changed })
    }),
  )
}
