import { fail } from '../../../contract/errors.ts'
import type { PanelHost } from '../../../contract/panel.ts'

type Checkpoints = PanelHost['checkpoints']
type Differing = Awaited<ReturnType<Checkpoints['compare']>>['files'][number]

const folder = '/work'

/** One folder with one checkpoint, after which a turn changed a file, made one, and somebody edited a third by hand. */
export function createTestCheckpoints(need: () => void): Checkpoints {
  const turn = { folder, number: 1, at: 1_700_000_000_000, kind: 'turn', session: 'ses_1', title: 'Bread', changed: 2 } as const
  let made: Awaited<ReturnType<Checkpoints['list']>>['checkpoints'] = [turn]
  let files: readonly Differing[] = [
    { path: 'notes.md', since: 'changed', rollback: 'restore', edited: true },
    { path: 'bread.md', since: 'made', rollback: 'delete', edited: false },
    { path: 'deep/oven.md', since: 'changed', rollback: 'restore', edited: false },
  ]
  const find = (wanted: { readonly folder: string; readonly number: number }): void => {
    need()
    if (wanted.folder !== folder) throw fail('CHECKPOINTS_NONE', { folder: wanted.folder })
    if (!made.some(({ number }) => number === wanted.number)) throw fail('CHECKPOINT_UNKNOWN', wanted)
  }
  const named = (path: string | undefined) => files.filter((file) => path === undefined || file.path === path)
  return {
    list: async () => {
      need()
      return { enabled: true, bytes: 2048, checkpoints: made }
    },
    compare: async (of) => {
      find(of)
      return { total: files.length, edited: files.filter(({ edited }) => edited).length, files }
    },
    diff: async ({ path, ...of }) => {
      find(of)
      return named(path)
        .map((file) => `--- a/${file.path}\n+++ b/${file.path}\n`)
        .join('')
    },
    restore: async ({ path, edited, ...of }) => {
      find(of)
      const meant = named(path)
      if (path !== undefined && meant.length === 0) throw fail('CHECKPOINT_SAME', { file: path, number: of.number })
      const byHand = meant.filter((file) => file.edited).map((file) => JSON.stringify(file.path))
      if (byHand.length > 0 && edited !== true)
        throw fail('CHECKPOINT_EDITED', { files: byHand.join(', '), number: of.number, again: 'agent checkpoints restore 1 --all' })
      files = files.filter((file) => !meant.includes(file))
      const undo = made.length + 1
      made = [{ ...turn, number: undo, kind: 'rollback', session: '', title: '', changed: meant.length }, ...made]
      const removed = meant.filter(({ rollback }) => rollback === 'delete').length
      return { restored: meant.length - removed, removed, left: [], undo }
    },
    prune: async () => {
      need()
      return 0
    },
  }
}
