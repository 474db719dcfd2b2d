// @module-tag process
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const on = 'checkpoints: { enabled: true, max_snapshots: 3 }\napprovals: { mode: "off" }\n'

async function agent(home: TestHome, ...words: readonly string[]): Promise<string> {
  const run = await runHere(home, words)
  expect(run).toMatchObject({ code: 0 })
  return run.out
}

interface Listed {
  readonly number: number
  readonly kind: string
  readonly changed: number | null
}

async function listed(home: TestHome): Promise<readonly Listed[]> {
  return JSON.parse(await agent(home, 'checkpoints', 'list', '--json')).checkpoints
}

function write(home: TestHome, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.work, name), text)
}

const read = (home: TestHome, name: string): string => readFileSync(join(home.work, name), 'utf8')

proves(
  ['purpose.checkpoints', 'config.checkpoints.enabled.snapshots', 'limit.checkpoints.once', 'slash.rollback'],
  'what a turn changes by tools and commands comes back with /rollback, byte for byte, and the rollback can be taken back',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', on)
    write(home, { 'a.txt': 'one\r\n', 'b.txt': 'bee', 'c.txt': 'sea', 'run.sh': '#!/bin/sh\n', '.gitattributes': '* text eol=crlf\n' })
    chmodSync(join(home.work, 'run.sh'), 0o700)
    symlinkSync('a.txt', join(home.work, 'link'))
    const talk = async (...lines: readonly string[]) => (await runHere(home, ['chat', '--cli'], { input: `${lines.join('\n')}\n` })).out
    await talk('write new.txt: made then write a.txt: two then run sed -i s/b/B/ b.txt then run mv c.txt d.txt then run rm run.sh link')
    expect(await listed(home)).toMatchObject([{ number: 1, kind: 'turn', changed: 7 }])
    expect(await talk('/rollback')).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}a turn that changed 7 files\n/)
    expect(await talk('/rollback diff 1')).toContain('-bee\n')
    expect(await talk('/rollback 1')).toMatch(/Back at checkpoint 1 of .*: 5 files restored, 2 deleted\. \/rollback 2 takes this back\./)
    expect([read(home, 'a.txt'), read(home, 'b.txt'), read(home, 'c.txt'), read(home, 'run.sh')]).toEqual([
      'one\r\n',
      'bee',
      'sea',
      '#!/bin/sh\n',
    ])
    expect(lstatSync(join(home.work, 'run.sh')).mode & 0o777).toBe(0o700)
    expect(readlinkSync(join(home.work, 'link'))).toBe('a.txt')
    expect(['new.txt', 'd.txt'].map((name) => existsSync(join(home.work, name)))).toEqual([false, false])
    await talk('/rollback 2')
    expect([read(home, 'a.txt'), read(home, 'b.txt'), read(home, 'd.txt'), read(home, 'new.txt')]).toEqual(['two', 'Bee', 'sea', 'made'])
    await talk('/rollback file 1 a.txt')
    expect([read(home, 'a.txt'), read(home, 'b.txt')]).toEqual(['one\r\n', 'Bee'])
    expect((await runHere(home, ['chat', '--cli'], { input: '/rollback 99\n/rollback x\n' })).note).toMatch(
      /There is no checkpoint 99 of[\s\S]*"x" is no number of a checkpoint/,
    )
  },
)

proves(
  'purpose.checkpoints',
  'what was edited by hand since is named and kept until all is said; a turn that changes nothing leaves no checkpoint',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', on)
    write(home, { 'a.txt': 'one', 'mine.txt': 'mine' })
    await agent(home, 'chat', '-z', 'write a.txt: two then write made.txt: made')
    await agent(home, 'chat', '-z', 'run true > /dev/null; touch a.txt')
    await agent(home, 'chat', '-z', 'run ls')
    expect((await listed(home)).map(({ number }) => number)).toEqual([1])
    write(home, { 'a.txt': 'by hand', 'later.txt': 'by hand' })
    const refused = await runHere(home, ['checkpoints', 'restore', '1'])
    expect(refused).toMatchObject({
      code: 1,
      note: expect.stringMatching(/"a\.txt" changed since without the agent[\s\S]*restore 1 --all goes back/),
    })
    expect([read(home, 'a.txt'), read(home, 'made.txt')]).toEqual(['by hand', 'made'])
    expect(await agent(home, 'checkpoints', 'restore', '1', '--all')).toContain('Left as they are, because the agent did not make them')
    expect([read(home, 'a.txt'), read(home, 'later.txt'), existsSync(join(home.work, 'made.txt'))]).toEqual(['one', 'by hand', false])
  },
)

proves('cli.chat.checkpoints', 'chat --checkpoints keeps checkpoints for this run alone', async () => {
  using home = openTestHome()
  await agent(home, 'chat', '-z', 'write a.txt: one')
  expect(existsSync(join(home.home, 'checkpoints'))).toBe(false)
  expect(await agent(home, 'checkpoints')).toContain('There are no checkpoints of')
  await agent(home, 'chat', '--checkpoints', '-z', 'write a.txt: two')
  await agent(home, 'chat', '-z', 'write b.txt: two')
  expect(await listed(home)).toMatchObject([{ number: 1, changed: 1 }])
})

proves(
  ['limit.checkpoints.pruned', 'config.checkpoints.max-snapshots.bound'],
  'the oldest go beyond checkpoints.max_snapshots, and the numbers of the others stay',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', on)
    const turns = ['one', 'two', 'three', 'four', 'five'].map((word) => `write a.txt: ${word}\n`).join('')
    expect(await runHere(home, ['chat', '--cli'], { input: turns })).toMatchObject({ code: 0 })
    expect((await listed(home)).map(({ number }) => number)).toEqual([5, 4, 3])
    await agent(home, 'checkpoints', 'restore', '4')
    expect(read(home, 'a.txt')).toBe('three')
    home.write('config.yaml', on.replace('3', '1'))
    expect(await agent(home, 'checkpoints', 'prune')).toContain('3 checkpoints are forgotten')
    expect((await listed(home)).map(({ number }) => number)).toEqual([6])
  },
)

proves('limit.checkpoints.skipped', 'the home folder of a person gets none, which is said once; the tools run', async () => {
  using home = openTestHome()
  home.write('config.yaml', on)
  const { out, note } = await runAgent(home, ['chat', '--cli'], { cwd: home.folder, input: 'write x.txt: a\nwrite x.txt: b\n' })
  expect((out + note).match(/it is your home folder/g)).toHaveLength(1)
  expect(readFileSync(join(home.folder, 'x.txt'), 'utf8')).toBe('b')
  expect(await agent(home, 'checkpoints')).toContain('There are no checkpoints of')
})

proves(
  'limit.checkpoints.skipped',
  'a folder of 50,001 files gets none; one whose rules leave some of them out does',
  async () => {
    // On a disk that others use, so many files take half a minute.
    using home = openTestHome(existsSync('/dev/shm') ? '/dev/shm' : undefined)
    home.write('config.yaml', on)
    const make = 'for folder in $(seq 0 49); do mkdir $folder; (cd $folder; seq 1000 | xargs touch); done'
    execFileSync('sh', ['-c', make], { cwd: home.work })
    write(home, { 'x.txt': 'a' })
    const many = await runHere(home, ['chat', '-z', 'write x.txt: b'])
    expect(many).toMatchObject({ code: 0, note: expect.stringContaining('it has more than 50,000 files') })
    const store = `--git-dir=${join(home.home, 'checkpoints', 'store')}`
    expect(execFileSync('git', [store, 'for-each-ref'], { encoding: 'utf8' })).toBe('')
    write(home, { '.gitignore': '/[1-9]*/\n' })
    expect(await runHere(home, ['chat', '-z', 'run rm -r 0'])).toMatchObject({ code: 0, note: '' })
    expect(await listed(home)).toMatchObject([{ number: 1, changed: 1000 }])
  },
  120_000,
)
