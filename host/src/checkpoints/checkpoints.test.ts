// @module-tag process
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type CheckpointStage, openStage } from './testing/stage.ts'

const put = ({ work }: Pick<CheckpointStage, 'work'>, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(work, name, '..'), { recursive: true })
    writeFileSync(join(work, name), text)
  }
}

/** Everything in a folder: what files hold, their rights, links; repositories too. */
function look(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  const walk = (path: Buffer): void => {
    for (const name of readdirSync(path, { encoding: 'buffer' })) {
      const each = Buffer.concat([path, Buffer.from('/'), name])
      const about = lstatSync(each)
      const key = each.toString('latin1')
      if (about.isDirectory()) walk(each)
      else if (about.isSymbolicLink()) found[key] = `link ${readlinkSync(each)}`
      else found[key] = `${(about.mode & 0o777).toString(8)} ${readFileSync(each).toString('latin1')}`
    }
  }
  walk(Buffer.from(folder))
  return found
}

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=p', '-c', 'user.email=p@x', ...words], { encoding: 'utf8' })

test('edits, deletions, renames, rights and links come back byte for byte, and forth again', async () => {
  await using stage = openStage()
  const { work } = stage
  put(stage, { 'a.txt': 'a', 'deep/er/b.bin': '\0\r\n\xff', 'c.sh': 'c', secret: 's', 'folder/x': 'x', file: 'f', empty: '' })
  chmodSync(join(work, 'c.sh'), 0o755)
  chmodSync(join(work, 'secret'), 0o600)
  symlinkSync('nowhere', join(work, 'link'))
  const before = look(work)
  await stage.turn(() => {
    put(stage, { 'a.txt': 'changed', 'new/one.txt': 'n' })
    renameSync(join(work, 'deep'), join(work, 'moved'))
    chmodSync(join(work, 'c.sh'), 0o644)
    for (const name of ['secret', 'link', 'folder', 'file', 'empty']) rmSync(join(work, name), { recursive: true })
    symlinkSync('moved', join(work, 'folder'))
    put(stage, { 'file/now/a/folder': 'f' })
    symlinkSync('a.txt', join(work, 'empty'))
  })
  const after = look(work)
  expect(await stage.restore(1)).toMatchObject({ left: [], undo: 2 })
  expect(look(work)).toEqual(before)
  expect(existsSync(join(work, 'new'))).toBe(false)
  await stage.restore(2)
  expect(look(work)).toEqual(after)
  await stage.restore(3)
  expect(look(work)).toEqual(before)
  expect(await stage.restore(1)).toMatchObject({ restored: 0, removed: 0, undo: undefined })
  expect(await stage.numbers()).toEqual([4, 3, 2, 1])
})

test('names that are no plain text are names like all others', async () => {
  await using stage = openStage()
  const { work } = stage
  const names = [
    'a\nb',
    '"quoted"',
    "it's",
    '-rf',
    '--all',
    '..hidden',
    '...',
    'a\\b',
    '*.txt',
    ' blank ',
    ':(top)x',
    'ü',
    'sub/..b/-c',
    'x\ty',
    '#no',
  ]
  put(stage, Object.fromEntries(names.map((name) => [name, 'before'])))
  const raw = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe, 0x41])])
  writeFileSync(raw, 'before')
  const before = look(work)
  await stage.turn(() => {
    for (const name of names) writeFileSync(join(work, name), 'after')
    for (const name of ['a\nb', '-rf', '...']) rmSync(join(work, name))
    rmSync(raw)
    put(stage, { 'new\n"one"': 'n', '-new': 'n' })
  })
  expect(await stage.restore(1)).toMatchObject({ restored: names.length + 1, removed: 2, left: [] })
  expect(look(work)).toEqual(before)
  await expect(stage.restore(1, { path: '../x' })).rejects.toMatchObject({ code: 'CHECKPOINT_SAME' })
})

test("the person's repository is neither written nor run: settings, hooks, filters, watchers, index, HEAD", async () => {
  await using stage = openStage()
  const { work, home } = stage
  const ran = join(home, 'ran')
  const script = join(home, 'script')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 })
  git(work, 'init', '-q')
  put(stage, {
    'a.txt': 'one\r\n',
    'b.txt': 'b\n',
    '.gitattributes': '*.txt text eol=crlf filter=mine diff=mine\nb.txt ident working-tree-encoding=UTF-16\n',
  })
  git(work, 'add', '.gitattributes')
  git(work, 'commit', '-qm', 'first')
  put(stage, { 'a.txt': 'two\r\n' })
  const hooks = ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction', 'post-commit', 'fsmonitor-watchman']
  mkdirSync(join(work, '.git', 'hooks'), { recursive: true })
  for (const name of hooks) symlinkSync(script, join(work, '.git', 'hooks', name))
  const set = { 'filter.mine.clean': script, 'filter.mine.smudge': script, 'filter.mine.required': 'true', 'core.fsmonitor': script }
  for (const [name, value] of Object.entries({ ...set, 'diff.mine.textconv': script, 'core.autocrlf': 'true', 'commit.gpgsign': 'true' }))
    git(work, 'config', name, value)
  rmSync(ran, { force: true })
  const before = look(work)
  await stage.turn(() => put(stage, { 'a.txt': 'three', 'b.txt': 'new' }))
  expect(await stage.checkpoints.diff(work, 1, new AbortController().signal)).toContain('-two\r\n')
  await stage.restore(1)
  expect(look(work)).toEqual(before)
  expect(existsSync(ran)).toBe(false)
})

test('what is ignored, too large, or in another repository is neither held nor touched, whatever the agent does to it', async () => {
  await using stage = openStage()
  const { work } = stage
  const large = 'x'.repeat(10 * 1024 * 1024 + 1)
  put(stage, {
    '.gitignore': '*.log\n/out/\n',
    'a.log': 'log',
    'out/x': 'x',
    'large.bin': large,
    'kept.txt': 'k',
    '.git/info/exclude': 'mine\n',
    mine: 'm',
  })
  for (const name of ['nested', 'empty-repository']) {
    put(stage, { [`${name}/in.txt`]: 'in' })
    git(join(work, name), 'init', '-q')
  }
  git(join(work, 'nested'), 'add', '.')
  git(join(work, 'nested'), 'commit', '-qm', 'x')
  put(stage, { 'module/.git': 'gitdir: ../.git/modules/module\n', 'module/m.txt': 'm', 'grows.bin': 'small', 'becomes/x.txt': 'x' })
  await stage.turn(() => {
    put(stage, { 'a.log': 'log 2', 'out/y': 'y', 'large.bin': `${large}y`, 'new.log': 'n', 'nested/in.txt': '2', 'nested/new.txt': 'n' })
    put(stage, { 'module/m.txt': '2', 'module/n.txt': 'n', 'empty-repository/in.txt': '2', mine: '2', 'kept.txt': '2' })
    put(stage, { 'grows.bin': large, 'new-large.bin': large, 'becomes/x.txt': 'x2' })
    git(join(work, 'becomes'), 'init', '-q')
  })
  const after = look(work)
  const { left, restored, removed } = await stage.restore(1, { all: true })
  expect([restored, removed, [...left].sort()]).toEqual([1, 0, ['becomes/x.txt', 'grows.bin']])
  expect(look(work)).toEqual({ ...after, [join(work, 'kept.txt')]: '644 k' })
  put(stage, { '.gitignore': '*.log\n*.txt\n' })
  await stage.restore(2, { all: true })
  expect(look(work)[join(work, 'kept.txt')]).toBe('644 k')
})

test('files of people that a turn brings to light are not deleted: of a repository, a rule or a size that is no more', async () => {
  await using stage = openStage()
  const { work } = stage
  put(stage, { '.gitignore': '*.log\n', 'a.log': 'log', 'nested/in.txt': 'in', 'large.bin': 'x'.repeat(10 * 1024 * 1024 + 1) })
  git(join(work, 'nested'), 'init', '-q')
  git(join(work, 'nested'), 'add', '.')
  git(join(work, 'nested'), 'commit', '-qm', 'x')
  await stage.turn(() => put(stage, { 'first.txt': 'made' }))
  await stage.turn(() => {
    rmSync(join(work, '.gitignore'))
    rmSync(join(work, 'nested', '.git'), { recursive: true })
    put(stage, { 'large.bin': 'small' })
  })
  await stage.turn(() => put(stage, { 'made.txt': 'made' }))
  expect(await stage.restore(1)).toMatchObject({ restored: 1, removed: 2 })
  expect(readdirSync(work).sort()).toEqual(['.gitignore', 'a.log', 'large.bin', 'nested'])
  expect(readFileSync(join(work, 'nested', 'in.txt'), 'utf8')).toBe('in')
})

test('only what a turn made is deleted; what people made and edited meanwhile is theirs', async () => {
  await using stage = openStage()
  const { work } = stage
  put(stage, { 'a.txt': '1', 'b.txt': '1' })
  await stage.turn(() => put(stage, { 'a.txt': '2', 'made.txt': 'm' }))
  put(stage, { 'theirs.txt': 't', 'b.txt': 'by hand' })
  await stage.turn(() => {
    put(stage, { 'a.txt': '3', 'made-2.txt': 'm', 'b.txt': 'by the agent' })
    rmSync(join(work, 'theirs.txt'))
  })
  await stage.restore(2)
  expect(readFileSync(join(work, 'theirs.txt'), 'utf8')).toBe('t')
  await expect(stage.restore(1)).rejects.toMatchObject({
    code: 'CHECKPOINT_EDITED',
    params: { files: '"b.txt"', again: '/rollback 1 all' },
  })
  expect(await stage.restore(1, { all: true })).toMatchObject({ restored: 2, removed: 1, left: ['theirs.txt'] })
  expect(readdirSync(work).sort()).toEqual(['a.txt', 'b.txt', 'theirs.txt'])
  // An edit of what would not change is no matter.
  put(stage, { 'other.txt': 'x', 'a.txt': '1' })
  expect(await stage.restore(1)).toMatchObject({ restored: 0, removed: 0 })
})

test('a turn that changed nothing is forgotten; one that was cut off keeps its checkpoint, and a rollback of it asks', async () => {
  await using stage = openStage()
  put(stage, { 'a.txt': '1' })
  await stage.turn(() => undefined)
  await stage.turn(() => put(stage, { 'a.txt': '1' }))
  expect(await stage.numbers()).toEqual([])
  await stage.cutOff(() => put(stage, { 'a.txt': '2', 'b.txt': '2' }))
  expect(await stage.checkpoints.list(stage.work, new AbortController().signal)).toMatchObject([{ number: 1, changed: null }])
  await stage.turn(() => put(stage, { 'c.txt': '3' }))
  await expect(stage.restore(1)).rejects.toMatchObject({ code: 'CHECKPOINT_EDITED', params: { files: '"a.txt"' } })
  expect(await stage.restore(1, { all: true })).toMatchObject({ restored: 1, removed: 1, left: ['b.txt'] })
})

test('what a killed process has left locked is freed', async () => {
  await using stage = openStage()
  put(stage, { 'a.txt': '1' })
  await stage.turn(() => put(stage, { 'a.txt': '2' }))
  const folder = join(stage.home, 'checkpoints')
  const [index = ''] = readdirSync(join(folder, 'indexes')).filter((name) => /^[0-9a-f]+$/.test(name))
  const dead = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'indexes', `${index}.lock`), 'half')
  writeFileSync(join(folder, 'store', 'refs', 'agent', index, '2-before.lock'), '')
  writeFileSync(join(folder, 'locks', index), dead)
  await stage.turn(() => put(stage, { 'a.txt': '3' }))
  expect([stage.said, await stage.numbers()]).toEqual([[], [2, 1]])
  writeFileSync(join(folder, 'indexes', index), 'DIRC')
  await stage.turn(() => put(stage, { 'a.txt': '4' }))
  expect([stage.said, await stage.numbers()]).toEqual([[], [3, 2, 1]])
  await stage.restore(3)
  expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('3')
})

test('several processes share the store, and a turn that runs is not rolled back', async () => {
  await using stage = openStage()
  const { work } = stage
  const others = [stage.open(), stage.open(), stage.open()]
  const { signal } = new AbortController()
  put(stage, { 'a.txt': '1' })
  const turns = others.map((each, at) =>
    each.forTurn({ workspace: work, session: `ses_${at}`, signal, say: (text) => expect(text).toBe('') }),
  )
  await Promise.all(turns.map((turn) => turn?.before()))
  put(stage, { 'a.txt': '2' })
  await expect(others[0]?.restore(work, { number: 1, all: true, session: '', again: '' }, signal)).rejects.toMatchObject({
    code: 'CHECKPOINT_BUSY',
  })
  await Promise.all(turns.map((turn) => turn?.after()))
  expect(await stage.numbers()).toEqual([3, 2, 1])
  await stage.restore(1)
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('1')
})

test('without git, on a full disk and where git fails the turn goes on, and a session hears of it once', async () => {
  await using stage = openStage()
  const programs = join(stage.home, 'programs')
  mkdirSync(programs)
  await using none = openStage({ searchPath: programs })
  for (const word of ['1', '2']) await none.turn(() => put(none, { 'a.txt': word }))
  expect(none.said).toEqual([expect.stringContaining('git is not installed here')])
  expect(none.said[0]).toContain('cannot be taken back')
  await using full = openStage({ searchPath: programs })
  writeFileSync(join(programs, 'git'), '#!/bin/sh\necho "fatal: write error: No space left on device" >&2\nexit 128\n', { mode: 0o755 })
  await full.turn(() => put(full, { 'a.txt': '1' }))
  expect(full.said).toEqual([expect.stringContaining('the disk is full')])
  expect(fail('CHECKPOINT_SKIPPED', { folder: '/x', reason: 'it is large' }).message).toContain('/x: it is large. Let')
  await expect(full.restore(1)).rejects.toMatchObject({ code: 'CHECKPOINTS_NONE' })
  await using root = openStage({ workspace: '/' })
  const turn = root.checkpoints.forTurn({
    workspace: '/',
    session: 's',
    signal: new AbortController().signal,
    say: (text) => expect(text).toContain('root of the disk'),
  })
  await turn?.before()
  expect(existsSync(join(root.home, 'checkpoints'))).toBe(false)
})

test('a checkpoint that is not there, and a store that has lost something, are said and change nothing', async () => {
  await using stage = openStage()
  put(stage, { 'a.txt': '1' })
  await stage.turn(() => put(stage, { 'a.txt': '2' }))
  await expect(stage.restore(7)).rejects.toMatchObject({ code: 'CHECKPOINT_UNKNOWN' })
  const objects = join(stage.home, 'checkpoints', 'store', 'objects')
  const blob = git(stage.work, 'hash-object', join(stage.work, '..', 'work', 'a.txt')).trim()
  expect(existsSync(join(objects, blob.slice(0, 2), blob.slice(2)))).toBe(true)
  writeFileSync(join(stage.work, 'one'), '1')
  const one = git(stage.work, 'hash-object', join(stage.work, 'one')).trim()
  rmSync(join(stage.work, 'one'))
  rmSync(join(objects, one.slice(0, 2), one.slice(2)))
  await expect(stage.restore(1)).rejects.toMatchObject({ code: 'CHECKPOINTS_UNUSABLE' })
  expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('2')
})

test('a git that hangs is ended with its time, and one that an interrupted turn waits for with the turn', async () => {
  await using stage = openStage()
  const programs = join(stage.home, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'git'), '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 })
  const hurried = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 200), signal) }
  await using hung = openStage({ searchPath: programs, clock: hurried })
  await hung.turn(() => put(hung, { 'a.txt': '1' }))
  expect(hung.said).toEqual([expect.stringMatching(/Taking a checkpoint.*30/)])
  expect(readdirSync(join(hung.home, 'checkpoints', 'locks'))).toEqual([])
  const controller = new AbortController()
  const interrupted = stage.open({ searchPath: programs })
  const turn = interrupted.forTurn({ workspace: stage.work, session: 's', signal: controller.signal, say: (text) => expect(text).toBe('') })
  const waits = turn?.before()
  controller.abort()
  await waits
  await turn?.after()
  expect(existsSync(join(stage.work, '.git'))).toBe(false)
})

test('a home in the folder is no part of its checkpoints', async () => {
  await using stage = openStage()
  const home = join(stage.work, 'of-agent')
  put(stage, { 'of-agent/.env': 'KEY=secret', 'a.txt': '1' })
  const checkpoints = stage.open({ home, path: join(home, 'checkpoints') })
  const { signal } = new AbortController()
  const turn = checkpoints.forTurn({ workspace: stage.work, session: 's', signal, say: (text) => expect(text).toBe('') })
  await turn?.before()
  put(stage, { 'of-agent/.env': 'KEY=other', 'a.txt': '2' })
  await turn?.after()
  expect(await checkpoints.list(stage.work, signal)).toMatchObject([{ number: 1, changed: 1 }])
  await checkpoints.restore(stage.work, { number: 1, all: true, session: '', again: '' }, signal)
  expect(readFileSync(join(home, '.env'), 'utf8')).toBe('KEY=other')
})
