// @module-tag process
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CheckpointStage, openStage } from './testing/stage.ts'

const idOf = ({ home }: CheckpointStage): string => readdirSync(join(home, 'checkpoints', 'projects'))[0]?.replace('.json', '') ?? 'none'

/** The store is sound, the next turn is kept, and going back gives what was there. */
async function expectSound(stage: CheckpointStage): Promise<void> {
  const file = join(stage.work, 'a.txt')
  const store = `--git-dir=${join(stage.home, 'checkpoints', 'store')}`
  writeFileSync(file, 'before')
  const said = stage.said.length
  await stage.turn(() => writeFileSync(file, 'after'))
  expect(stage.said.slice(said)).toEqual([])
  expect(execFileSync('git', [store, 'fsck', '--no-dangling', '--no-progress'], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  const [newest = 0] = await stage.numbers()
  await stage.restore(newest)
  expect(readFileSync(file, 'utf8')).toBe('before')
}

const beforeTools = /: the disk is full\. .* cannot be taken back with \/rollback\.$/
const atTheEnd = /: the disk is full\. .*: \/rollback 2 all takes it back\.$/

describe('a disk that is full', () => {
  test.each([
    ['locks/ID.PID.mine', beforeTools],
    ['indexes/ID.rules', beforeTools],
    ['store/objects/tmp_obj_PID_refs_agent_ID_2-before', beforeTools],
    ['indexes/ID.modes.PID.tmp', atTheEnd],
    ['indexes/ID.tree.PID.tmp', atTheEnd],
    ['store/objects/tmp_obj_PID_refs_held_ID', atTheEnd],
  ])('when %s is written is said, the turn goes on, and nothing is left by halves', async (place, said) => {
    await using stage = openStage()
    const file = join(stage.work, 'a.txt')
    // Its rights are written down.
    writeFileSync(file, '1', { mode: 0o600 })
    await stage.turn(() => writeFileSync(file, '2'))
    const path = join(stage.home, 'checkpoints', place.replace('PID', `${process.pid}`).replace('ID', idOf(stage)))
    rmSync(path, { force: true })
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync('/dev/full', path)
    writeFileSync(file, '3')
    await stage.turn(() => writeFileSync(file, '4'))
    expect(stage.said).toEqual([expect.stringMatching(said)])
    expect(readFileSync(file, 'utf8')).toBe('4')
    rmSync(path, { force: true })
    await expectSound(stage)
  })

  test.each([1, 2, 3, 4, 5])('when git writes, from its run %i on, is said, and nothing is left by halves', async (run) => {
    await using stage = openStage()
    const [file, programs, count] = [join(stage.work, 'a.txt'), join(stage.home, 'programs'), join(stage.home, 'count')]
    mkdirSync(programs)
    const fails = `if [ $(wc -c < ${count}) -ge ${run} ]; then echo "fatal: write error: No space left on device" >&2; exit 128; fi`
    writeFileSync(
      join(programs, 'git'),
      `#!/bin/sh\nprintf x >> ${count}\n${fails}\nexec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git "$@"\n`,
      {
        mode: 0o755,
      },
    )
    writeFileSync(file, '1')
    const other = stage.open({ searchPath: `${programs}:/usr/bin:/bin` })
    const said: string[] = []
    const turn = other.forTurn({
      workspace: stage.work,
      session: 's',
      signal: new AbortController().signal,
      say: (text) => said.push(text),
    })
    const half = join(stage.home, 'checkpoints', 'store', 'objects', 'ab', 'tmp_obj_half')
    mkdirSync(dirname(half), { recursive: true })
    writeFileSync(half, 'half')
    await turn?.before()
    await turn?.after()
    expect(said).toEqual([expect.stringContaining('the disk is full')])
    expect(existsSync(half)).toBe(false)
    await expectSound(stage)
  })

  test('that would be full by the checkpoint is left alone', async () => {
    await using stage = openStage({ bounds: { largestFile: 2 ** 50 } })
    const sparse = join(stage.work, 'sparse.bin')
    writeFileSync(sparse, '')
    truncateSync(sparse, 2 ** 43)
    await stage.turn(() => rmSync(sparse))
    expect(stage.said).toEqual([expect.stringContaining('the disk has too little room left')])
    await expectSound(stage)
  })

  test('at the end of a turn leaves its checkpoint, and says how one goes back', async () => {
    await using stage = openStage()
    const file = join(stage.work, 'a.txt')
    writeFileSync(file, '1')
    await stage.turn(() => writeFileSync(file, '2'))
    const path = join(stage.home, 'checkpoints', 'indexes', `${idOf(stage)}.rules`)
    await stage.turn(() => {
      writeFileSync(file, '3')
      rmSync(path, { force: true })
      symlinkSync('/dev/full', path)
    })
    expect(stage.said).toEqual([expect.stringMatching(/the disk is full.*\/rollback 2 all takes it back\.$/)])
    rmSync(path, { force: true })
    await stage.restore(2, { all: true })
    expect(readFileSync(file, 'utf8')).toBe('2')
  })

  test('half-way through a rollback is said, no file is half-written, and the same again ends it', async () => {
    await using stage = openStage()
    const names = ['a.txt', join('sub', 'b.txt')]
    const read = (): readonly string[] => names.map((name) => readFileSync(join(stage.work, name), 'utf8'))
    mkdirSync(join(stage.work, 'sub'))
    for (const name of names) writeFileSync(join(stage.work, name), 'before')
    await stage.turn(() => {
      for (const name of names) writeFileSync(join(stage.work, name), 'after')
    })
    // The second of them cannot be written.
    symlinkSync('/dev/full', join(stage.work, 'sub', '.stopped'))
    const stopped = stage.open({ newName: () => 'stopped' })
    const wish = { number: 1, all: false, session: '', again: '' }
    await expect(stopped.restore(stage.work, wish, new AbortController().signal)).rejects.toMatchObject({
      code: 'CHECKPOINT_STOPPED',
      params: { number: 1, undo: 2 },
    })
    expect(read()).toEqual(['before', 'after'])
    expect(await stage.restore(1)).toMatchObject({ restored: 1 })
    expect(read()).toEqual(['before', 'before'])
  })
})
