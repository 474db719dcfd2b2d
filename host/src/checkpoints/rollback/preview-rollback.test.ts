// @module-tag process
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CheckpointStage, openStage } from '../testing/stage.ts'

const { signal } = new AbortController()

const put = ({ work }: Pick<CheckpointStage, 'work'>, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(work, name, '..'), { recursive: true })
    writeFileSync(join(work, name), text)
  }
}

test('it says of each file what a rollback then does, and changes nothing', async () => {
  await using stage = openStage()
  put(stage, { 'a.txt': 'a', 'b.txt': 'b', 'same.txt': 's', 'gone.txt': 'g' })
  await stage.turn(() => {
    put(stage, { 'a.txt': 'a2', 'deep/made.txt': 'm', 'b.txt': 'b2', 'both.txt': 'x' })
    rmSync(join(stage.work, 'gone.txt'))
  })
  put(stage, { 'b.txt': 'by hand', 'both.txt': 'by hand', 'mine.txt': 'mine' })
  expect(await stage.checkpoints.preview(stage.work, 1, signal)).toEqual([
    { path: 'b.txt', since: 'changed', rollback: 'restore', edited: true },
    { path: 'both.txt', since: 'made', rollback: 'delete', edited: true },
    { path: 'a.txt', since: 'changed', rollback: 'restore', edited: false },
    { path: 'deep/made.txt', since: 'made', rollback: 'delete', edited: false },
    { path: 'gone.txt', since: 'deleted', rollback: 'restore', edited: false },
    { path: 'mine.txt', since: 'made', rollback: 'leave', edited: false },
  ])
  expect(await stage.numbers()).toEqual([1])
  const refs = readdirSync(join(stage.home, 'checkpoints', 'store', 'refs', 'agent'), { recursive: true, encoding: 'utf8' })
  expect(refs.filter((name) => name.includes('/')).sort()).toMatchObject([
    expect.stringMatching(/1-after$/),
    expect.stringMatching(/1-before$/),
  ])
  expect(await stage.restore(1, { all: true })).toMatchObject({ restored: 3, removed: 2, left: ['mine.txt'] })
  expect(await stage.checkpoints.preview(stage.work, 1, signal)).toEqual([
    { path: 'mine.txt', since: 'made', rollback: 'leave', edited: false },
  ])
})

test('what is elsewhere or gone says so', async () => {
  await using stage = openStage()
  await expect(stage.checkpoints.preview(stage.work, 1, signal)).rejects.toMatchObject({ code: 'CHECKPOINTS_NONE' })
  await stage.turn(() => put(stage, { 'a.txt': 'a' }))
  await expect(stage.checkpoints.preview(stage.work, 7, signal)).rejects.toMatchObject({ code: 'CHECKPOINT_UNKNOWN' })
})

test('one file is compared by its name, also where it looks like a pattern, and the store says what it takes', async () => {
  await using stage = openStage()
  expect(await stage.checkpoints.total(signal)).toBe(0)
  put(stage, { '*.txt': 'star', 'a.txt': 'a', 'deep/a.txt': 'deep' })
  await stage.turn(() => put(stage, { '*.txt': 'star 2', 'a.txt': 'a 2', 'deep/a.txt': 'deep 2' }))
  const star = await stage.checkpoints.diff(stage.work, 1, signal, '*.txt')
  expect([star.includes('+star 2'), star.includes('+a 2'), star.includes('+deep 2')]).toEqual([true, false, false])
  expect(await stage.checkpoints.diff(stage.work, 1, signal, 'deep/a.txt')).toContain('-deep\n')
  for (const path of ['../a.txt', join(stage.work, 'a.txt')])
    await expect(stage.checkpoints.diff(stage.work, 1, signal, path)).rejects.toMatchObject({ code: 'CHECKPOINT_SAME' })
  expect(await stage.checkpoints.total(signal)).toBeGreaterThan(0)
})
