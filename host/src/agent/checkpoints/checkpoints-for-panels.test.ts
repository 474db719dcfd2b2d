import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Checkpoint } from '#checkpoints/checkpoints.ts'
import { checkpointsForPanels, type PanelCheckpointsParts } from './checkpoints-for-panels.ts'

const { signal } = new AbortController()
const one: Checkpoint = { number: 1, at: 10, kind: 'turn', session: 'ses_1', changed: 2 }

function open(more: Partial<PanelCheckpointsParts['checkpoints']> = {}) {
  return checkpointsForPanels({
    signal,
    sessions: { find: async (id) => (id === 'ses_1' ? ({ id, title: 'Bread' } as never) : undefined) },
    checkpoints: {
      enabled: () => true,
      folders: () => ['/a', '/b'],
      list: async (folder) => (folder === '/a' ? [{ ...one, at: 30, number: 2, session: 'gone' }, one] : [{ ...one, at: 20, session: '' }]),
      total: async () => 5,
      preview: async () => [],
      diff: async () => '',
      restore: async () => ({ number: 1, at: 0, restored: 0, removed: 0, left: [], undo: undefined }),
      prune: async () => 0,
      ...more,
    },
  })
}

test('those of all folders come in one list, the newest first, with the titles of their sessions', async () => {
  expect(await open().list()).toEqual({
    enabled: true,
    bytes: 5,
    checkpoints: [
      { folder: '/a', number: 2, at: 30, kind: 'turn', session: 'gone', title: '', changed: 2 },
      { folder: '/b', number: 1, at: 20, kind: 'turn', session: '', title: '', changed: 2 },
      { folder: '/a', number: 1, at: 10, kind: 'turn', session: 'ses_1', title: 'Bread', changed: 2 },
    ],
  })
})

test('of many files some are named and all are counted', async () => {
  const many = Array.from({ length: 600 }, (_, at) => ({ path: `${at}`, since: 'made', rollback: 'delete', edited: at < 550 }) as const)
  const { total, edited, files } = await open({ preview: async () => many }).compare({ folder: '/a', number: 1 })
  expect([total, edited, files.length]).toEqual([600, 550, 500])
})

test('a long patch is cut where nobody reads on, and says how all of it is seen', async () => {
  const desk = open({ diff: async (folder, number, _signal, path) => `${folder} ${number} ${path}`.padEnd(300_000, 'x') })
  const text = await desk.diff({ folder: '/a b', number: 3, path: 'c' })
  expect(text.startsWith('/a b 3 cxx')).toBe(true)
  expect(text.endsWith('xx\n… agent checkpoints diff 3 --folder "/a b" shows all of it.')).toBe(true)
})

test('only who agrees loses what was edited by hand, and what is not known is absent', async () => {
  const asked: unknown[] = []
  const desk = open({
    restore: async (folder, wish) => {
      asked.push([folder, wish.number, wish.path, wish.all])
      if (!wish.all) throw fail('CHECKPOINT_EDITED', { files: '"a"', number: wish.number, again: wish.again })
      return { number: 1, at: 0, restored: 2, removed: 1, left: ['b'], undo: wish.number === 1 ? undefined : 4 }
    },
  })
  await expect(desk.restore({ folder: '/a', number: 1 })).rejects.toThrow('agent checkpoints restore 1 --all --folder "/a" goes back')
  expect(await desk.restore({ folder: '/a', number: 1, edited: true })).toEqual({ restored: 2, removed: 1, left: ['b'] })
  expect(await desk.restore({ folder: '/a', number: 2, path: 'x', edited: true })).toEqual({
    restored: 2,
    removed: 1,
    left: ['b'],
    undo: 4,
  })
  expect(asked).toEqual([
    ['/a', 1, undefined, false],
    ['/a', 1, undefined, true],
    ['/a', 2, 'x', true],
  ])
})
