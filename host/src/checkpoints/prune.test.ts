// @module-tag process
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { findOutdated, listFolders, pruneStore } from './prune.ts'
import { openStore } from './store/open-store.ts'
import { readSnapshots } from './store/snapshot-ref.ts'
import { openStage } from './testing/stage.ts'

const day = 24 * 60 * 60_000

test('what is too much and what is too old goes, but not what belongs to a turn that runs', () => {
  const snapshots = [1, 2, 3, 4, 5].flatMap((number) => [
    { number, at: number * day, ref: `${number}-before` },
    { number, at: number * day + 1, ref: `${number}-after` },
  ])
  const found = (most: number, now: number, ...open: readonly string[]) =>
    [...findOutdated(snapshots, { most, oldestMs: 7 * day, now, open: new Set(open) })].sort()
  expect(found(20, 5 * day)).toEqual([])
  expect(found(2, 5 * day)).toEqual([1, 2, 3])
  expect(found(2, 5 * day, '2-before')).toEqual([1, 3])
  expect(found(20, 9 * day + 2)).toEqual([1, 2])
})

test('what a turn leaves is packed after it; the cap holds, no number changes, and all that stays can be restored', async () => {
  await using stage = openStage({ bounds: { most: 3 } })
  const file = join(stage.work, 'a.txt')
  writeFileSync(file, '0')
  for (let turn = 1; turn <= 8; turn++) await stage.turn(() => writeFileSync(file, `${turn}`))
  await stage.checkpoints.close()
  expect(await stage.numbers()).toEqual([8, 7, 6])
  await stage.open().prune(new AbortController().signal)
  const objects = join(stage.home, 'checkpoints', 'store', 'objects')
  expect(readdirSync(join(objects, 'pack')).filter((name) => name.endsWith('.pack'))).toHaveLength(1)
  await stage.restore(6)
  expect(readFileSync(file, 'utf8')).toBe('5')
})

test('a folder whose checkpoints are all too old starts from nothing, also after its objects are gone', async () => {
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  let ahead = 0
  await using stage = openStage({ clock })
  const file = join(stage.work, 'a.txt')
  writeFileSync(file, '1')
  await stage.turn(() => writeFileSync(file, '2'))
  ahead = 8 * day
  expect(await stage.checkpoints.prune(new AbortController().signal)).toBe(1)
  expect([await stage.numbers(), stage.checkpoints.folders()]).toEqual([[], []])
  await stage.turn(() => writeFileSync(file, '3'))
  // Nothing refers to what only a turn without changes has seen; an index that still names it is made again.
  const store = join(stage.home, 'checkpoints', 'store')
  rmSync(join(store, 'refs', 'held'), { recursive: true })
  writeFileSync(file, 'by hand')
  await stage.turn(() => undefined)
  rmSync(join(store, 'refs', 'held'), { recursive: true })
  execFileSync('git', [`--git-dir=${store}`, 'prune', '--expire=now'])
  writeFileSync(join(stage.work, 'b.txt'), 'b')
  await stage.turn(() => writeFileSync(file, '4'))
  expect([stage.said, await stage.numbers()]).toEqual([[], [2, 1]])
  await stage.restore(2)
  expect(readFileSync(file, 'utf8')).toBe('by hand')
})

test('the oldest go while the store is larger than its cap', async () => {
  await using stage = openStage({ bounds: { mostBytes: 300_000 } })
  for (let turn = 1; turn <= 6; turn++) await stage.turn(() => writeFileSync(join(stage.work, 'a.bin'), randomBytes(100_000)))
  expect(stage.said).toEqual([])
  // Mostly it was done after a turn.
  await stage.checkpoints.prune(new AbortController().signal)
  expect((await stage.numbers())[0]).toBe(6)
  expect((await stage.numbers()).length).toBeLessThan(4)
  const old = join(stage.home, 'checkpoints', '.last_prune')
  utimesSync(old, 0, 0)
  await stage.turn(() => writeFileSync(join(stage.work, 'b.txt'), ''))
  await stage.checkpoints.close()
  expect(readFileSync(old, 'utf8')).toMatch(/^\d{4}-/)
  expect(existsSync(join(stage.home, 'checkpoints', 'locks', 'prune'))).toBe(false)
})

test('a turn that is over before all is measured is one of the others: the newest checkpoint stays', async () => {
  await using stage = openStage()
  for (let turn = 1; turn <= 6; turn++) await stage.turn(() => writeFileSync(join(stage.work, 'a.bin'), randomBytes(100_000)))
  await stage.checkpoints.close()
  const store = openStore({ path: join(stage.home, 'checkpoints'), searchPath: process.env.PATH, clock: systemClock })
  const { signal } = new AbortController()
  const [folder] = listFolders(store)
  if (!folder) throw new Error('there is one')
  const asked = await readSnapshots(folder, { signal })
  const fourth = asked.find(({ number, phase }) => number === 4 && phase === 'before')
  let looks = 0
  // It runs while the number of checkpoints is looked at, and not any more while their size is.
  const open = (): ReadonlySet<string> => new Set(looks++ === 0 && fourth ? [fourth.ref] : [])
  await pruneStore(store, { most: 20, mostBytes: 300_000, oldestMs: 7 * day, now: Date.now(), open }, signal)
  expect([await stage.numbers(), looks]).toEqual([[6], 2])
})

test('of what is larger than the cap as many of the newest stay as fit, in all folders; those of turns that run stay too', async () => {
  await using stage = openStage()
  const { signal } = new AbortController()
  const other = join(stage.home, '..', 'other')
  mkdirSync(other)
  const write = (folder: string): void => writeFileSync(join(folder, 'a.bin'), randomBytes(50_000))
  const turnIn = async (folder: string): Promise<void> => {
    const turn = stage.checkpoints.forTurn({ workspace: folder, session: 's', signal, say: (text) => expect(text).toBe('') })
    await turn?.before()
    write(folder)
    await turn?.after()
  }
  const running = stage.open().forTurn({ workspace: other, session: 's', signal, say: (text) => expect(text).toBe('') })
  write(other)
  await running?.before()
  for (let turn = 1; turn <= 4; turn++) for (const folder of [other, stage.work]) await turnIn(folder)
  // Each turn adds 50 kB. The running one, and what is known of both folders, stay in any case: that is 150 kB.
  const small = stage.open({ bounds: { mostBytes: 330_000 } })
  expect(await small.prune(signal)).toBe(5)
  const numbersOf = async (folder: string) => (await small.list(folder, signal)).map(({ number }) => number)
  expect([await numbersOf(stage.work), await numbersOf(other)]).toEqual([
    [4, 3],
    [5, 1],
  ])
  await running?.after()
})

test('the checkpoints of a folder are forgotten on a wish, but not while a turn runs in it, and its files stay', async () => {
  await using stage = openStage()
  const { signal } = new AbortController()
  const file = join(stage.work, 'a.txt')
  writeFileSync(file, '1')
  await expect(stage.checkpoints.clear(stage.work, signal)).rejects.toMatchObject({ code: 'CHECKPOINTS_NONE' })
  await stage.turn(() => writeFileSync(file, '2'))
  expect(await stage.checkpoints.size(stage.work, signal)).toBeGreaterThan(0)
  const turn = stage.open().forTurn({ workspace: stage.work, session: 'ses_2', signal, say: (text) => expect(text).toBe('') })
  await turn?.before()
  await expect(stage.checkpoints.clear(stage.work, signal)).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' })
  await expect(stage.restore(1)).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' })
  writeFileSync(file, '3')
  await turn?.after()
  expect(await stage.checkpoints.clear(stage.work, signal)).toBe(2)
  expect([await stage.numbers(), stage.checkpoints.folders(), readFileSync(file, 'utf8')]).toEqual([[], [], '3'])
  await stage.turn(() => writeFileSync(file, '4'))
  expect([stage.said, await stage.numbers()]).toEqual([[], [1]])
})

test('files that are larger than the bound are not held, and a bound that rises in a turn counts from the next one on', async () => {
  let largestFile = 10
  await using stage = openStage()
  const { signal } = new AbortController()
  const own = stage.open({
    get bounds() {
      return { largestFile }
    },
  })
  const small = join(stage.work, 'small.txt')
  writeFileSync(join(stage.work, 'large.txt'), 'x'.repeat(11))
  const turn = own.forTurn({ workspace: stage.work, session: 's', signal, say: (text) => expect(text).toBe('') })
  await turn?.before()
  largestFile = 100
  writeFileSync(small, 'made')
  await turn?.after()
  expect(await own.list(stage.work, signal)).toMatchObject([{ number: 1, changed: 1 }])
  expect(await own.restore(stage.work, { number: 1, all: false, session: '', again: '' }, signal)).toMatchObject({
    ...{ removed: 1, left: ['large.txt'] },
  })
})
