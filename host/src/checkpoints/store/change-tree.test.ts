// @module-tag process
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openStage } from '../testing/stage.ts'
import { type FolderStore, openStore } from './open-store.ts'
import { writeTree } from './take-snapshot.ts'

interface Place {
  readonly work: string
  readonly files: FolderStore
  /** What the index stands for. */
  known(): string
  /** The tree of the folder as it is now. */
  tree(options: { readonly inHurry: boolean }): Promise<string>
  put(files: Readonly<Record<string, string>>): void
}

async function inPlace(use: (place: Place) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'change-tree-')))
  const work = join(folder, 'work')
  mkdirSync(work)
  const files = openStore({ path: join(folder, 'store'), searchPath: process.env.PATH, clock: systemClock }).of(work)
  const { signal } = new AbortController()
  try {
    await use({
      ...{ work, files },
      known: () => readFileSync(`${files.index}.tree`, 'utf8'),
      tree: ({ inHurry }) => files.locked(signal, () => writeTree(files, { signal, apart: [], largestFile: 2 ** 24, inHurry })),
      put: (texts) => {
        for (const [name, text] of Object.entries(texts)) {
          mkdirSync(dirname(join(work, name)), { recursive: true })
          writeFileSync(join(work, name), text)
        }
      },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Each of them finds the folder as the one before it left it. */
const edits: Readonly<Record<string, (place: Place) => void>> = {
  'a file deep down': ({ put }) => put({ 'a/b/c/1': 'changed' }),
  'new files and folders, also beside names that begin alike': ({ put }) => put({ 'a.b': 'n', 'a-': 'n', 'a/b.txt': 'n', 'n/e/w': 'n' }),
  'the last file of folders': ({ work }) => rmSync(join(work, 'n/e/w')),
  'a file where a folder was': ({ work, put }) => {
    rmSync(join(work, 'a/b'), { recursive: true })
    put({ 'a/b': 'a file' })
  },
  'a folder where a file was': ({ work, put }) => {
    rmSync(join(work, 'top'))
    put({ 'top/now/a/folder': 'f' })
  },
  'links, one where a folder was': ({ work }) => {
    renameSync(join(work, 'moves'), join(work, 'moved'))
    symlinkSync('moved', join(work, 'moves'))
    symlinkSync('nowhere\\xff', join(work, 'link'))
  },
  'rights that git keeps, and some that it does not': ({ work }) => {
    chmodSync(join(work, 'moved/one'), 0o755)
    chmodSync(join(work, 'a.b'), 0o600)
  },
  'a name that is no text': ({ work }) => writeFileSync(Buffer.concat([Buffer.from(`${work}/\xe4`, 'latin1'), Buffer.from('\n"')]), 'x'),
  'bytes that are no text, and an empty file': ({ work, put }) => {
    writeFileSync(join(work, 'bytes'), Buffer.from([0, 13, 10, 255]))
    put({ empty: '' })
  },
  everything: ({ work }) => {
    rmSync(work, { recursive: true })
    mkdirSync(work)
  },
}

test.each(['loose', 'packed'])(
  'in a hurry a tree over %s folders is what git would have written, byte for byte, and the index stays as it is',
  async (kept) => {
    await inPlace(async (place) => {
      place.put({ 'a/b/c/1': '1', 'a/b/c/2': '2', 'a/x': 'x', top: 't', 'moves/one': 'o', 'moves/two': 't' })
      await place.tree({ inHurry: false })
      const git = (...words: readonly string[]): string =>
        execFileSync('git', [`--git-dir=${place.files.store.repository}`, ...words], { encoding: 'utf8', stdio: 'pipe' })
      for (const [name, edit] of Object.entries(edits)) {
        const known = place.known()
        edit(place)
        if (kept === 'packed') git('repack', '-A', '-d', '-q')
        const quick = await place.tree({ inHurry: true })
        expect(place.known(), name).toBe(known)
        expect(await place.tree({ inHurry: false }), name).toBe(quick)
        expect(place.known().slice(0, 40), name).toBe(quick)
      }
      expect(git('fsck', '--no-dangling', '--no-progress')).toBe('')
    })
  },
)

test('a folder whose file was cut off counts as spoilt, and the tree is made again from the files', async () => {
  await inPlace(async (place) => {
    place.put({ 'a/1': '1', b: 'b' })
    const first = await place.tree({ inHurry: false })
    const { repository } = place.files.store
    const tree = execFileSync('git', [`--git-dir=${repository}`, 'rev-parse', `${first}:files/a`], { encoding: 'utf8' }).trim()
    const file = join(repository, `objects/${tree.slice(0, 2)}/${tree.slice(2)}`)
    chmodSync(file, 0o600)
    writeFileSync(file, '')
    place.put({ 'a/2': '2' })
    const quick = await place.tree({ inHurry: true })
    expect(place.known().slice(0, 40)).toBe(quick)
  })
})

test('several hurries after one another give what is there then', async () => {
  await inPlace(async (place) => {
    place.put({ 'a/1': '1', b: 'b' })
    const first = await place.tree({ inHurry: false })
    place.put({ 'a/1': '2' })
    await place.tree({ inHurry: true })
    place.put({ c: 'c' })
    const second = await place.tree({ inHurry: true })
    place.put({ 'a/1': '1' })
    rmSync(join(place.work, 'c'))
    expect(await place.tree({ inHurry: true })).toBe(first)
    place.put({ 'a/1': '2', c: 'c' })
    expect(await place.tree({ inHurry: false })).toBe(second)
  })
})

test.each([
  ['many files', Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`many/${at}`, `${at}`]))],
  ['many bytes', { large: 'x'.repeat(5 * 1024 * 1024) }],
])('%s are left to git, which writes its index down as well', async (_, files) => {
  await inPlace(async (place) => {
    place.put({ a: 'a' })
    await place.tree({ inHurry: false })
    place.put(files)
    const tree = await place.tree({ inHurry: true })
    expect(place.known().slice(0, 40)).toBe(tree)
  })
})

test('a tool waits for a tree that was written in a hurry, and the end of its turn brings the index up to date', async () => {
  await using stage = openStage()
  const known = (): string => execFileSync('sh', ['-c', `cat ${stage.home}/checkpoints/indexes/*.tree`], { encoding: 'utf8' })
  writeFileSync(join(stage.work, 'a'), '1')
  await stage.turn(() => writeFileSync(join(stage.work, 'a'), '2'))
  const before = known()
  writeFileSync(join(stage.work, 'a'), 'by hand')
  let meanwhile = ''
  await stage.turn(() => {
    meanwhile = known()
    writeFileSync(join(stage.work, 'a'), '3')
  })
  expect(meanwhile).toBe(before)
  expect(known()).not.toBe(before)
  await stage.restore(2)
  expect(readFileSync(join(stage.work, 'a'), 'utf8')).toBe('by hand')
})
