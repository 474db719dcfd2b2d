// @module-tag process
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { createRandom } from '../faults/random.ts'
import { readText } from '../repo/source-files.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { runAgent, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const on = 'checkpoints: { enabled: true }\napprovals: { mode: "off" }\n'

async function checkpointsOf(home: TestHome): Promise<readonly { readonly number: number; readonly changed: number | null }[]> {
  return JSON.parse((await runHere(home, ['checkpoints', 'list', '--json'])).out).checkpoints
}

test('the page about checkpoints says what happens', async () => {
  using home = openTestHome()
  writeFileSync(join(home.work, 'plan.txt'), 'old')
  const [, block = ''] = /^```console\n([\s\S]*?)^```$/m.exec(readText('host/docs/undo-changes.md')) ?? []
  const steps = block.split(/^\$ agent /m).slice(1)
  expect(steps.length).toBeGreaterThan(3)
  for (const step of steps) {
    const [line = '', ...shown] = step.trimEnd().split('\n')
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { code, out } = await runHere(home, words)
    const undated = (text: string): string => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'DATE')
    expect(code, line).toBe(0)
    if (shown.length > 0) expect(undated(out.trimEnd())).toBe(undated(shown.join('\n')))
  }
  expect(readFileSync(join(home.work, 'plan.txt'), 'utf8')).toBe('old')
})

test('a program that is killed while it takes a checkpoint leaves a store that works, and files as they were', async () => {
  using home = openTestHome()
  home.write('config.yaml', on)
  const random = createRandom(20_261_126)
  for (let folder = 0; folder < 20; folder++) {
    mkdirSync(join(home.work, `${folder}`))
    for (let file = 0; file < 100; file++) writeFileSync(join(home.work, `${folder}`, `${file}`), `${folder} ${file}\n`)
  }
  const locks = join(home.home, 'checkpoints', 'locks')
  let caught = 0
  for (let round = 0; round < 8; round++) {
    writeFileSync(join(home.work, 'a.txt'), `${round}`)
    const run = startAgent(home, ['chat', '-z', 'run rm -r 0 1 a.txt'])
    const isTaking = (): boolean => existsSync(locks) && readdirSync(locks).some((name) => /^[0-9a-f]{16}$/.test(name))
    while (run.child.exitCode === null && !isTaking()) await systemClock.sleep(2)
    await systemClock.sleep(random.between(0, 120))
    if (existsSync(join(home.work, 'a.txt'))) caught++
    run.child.kill('SIGKILL')
    await run.ended
    execFileSync('git', [`--git-dir=${join(home.home, 'checkpoints', 'store')}`, 'rev-parse', '--is-bare-repository'])
    for (const folder of ['0', '1']) {
      mkdirSync(join(home.work, folder), { recursive: true })
      for (let file = 0; file < 100; file++) writeFileSync(join(home.work, folder, `${file}`), `${folder} ${file}\n`)
    }
  }
  expect(caught).toBeGreaterThan(0)
  writeFileSync(join(home.work, 'a.txt'), 'last')
  const { note } = await runAgent(home, ['chat', '-z', 'run rm -r 0 1 a.txt'])
  expect(note).not.toContain('Checkpoints do not work')
  const [newest] = await checkpointsOf(home)
  expect(newest).toMatchObject({ changed: 201 })
  expect((await runAgent(home, ['checkpoints', 'restore', `${newest?.number}`])).out).toContain('201 files restored')
  expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('last')
  expect(execFileSync('git', [`--git-dir=${join(home.home, 'checkpoints', 'store')}`, 'fsck', '--no-dangling'], { encoding: 'utf8' })).toBe(
    '',
  )
}, 60_000)

test('programs that work in one folder at the same time each keep a checkpoint', async () => {
  using home = openTestHome()
  home.write('config.yaml', on)
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(home.work, name), 'before')
  const runs = await Promise.all(['a', 'b', 'c', 'd'].map((name) => runAgent(home, ['chat', '-z', `write ${name}: after`])))
  expect(runs.map(({ code, note }) => [code, note])).toEqual(runs.map(() => [0, '']))
  const found = await checkpointsOf(home)
  expect(new Set(found.map(({ number }) => number)).size).toBe(4)
  await runAgent(home, ['checkpoints', 'restore', '1', '--all'])
  expect(['a', 'b', 'c', 'd'].map((name) => readFileSync(join(home.work, name), 'utf8')).every((text) => text === 'before')).toBe(true)
})

test('an admin goes back on a platform, where the folder is that of the gateway; others may not', async () => {
  for (const [settings, answered] of [
    ['allow_admin_from: [ann]', /^Back at checkpoint 1 of .*: 1 file restored, 1 deleted\./],
    ['allow_admin_from: [bob], user_allowed_commands: ["*"]', /admin/],
  ] as const) {
    using home = openTestHome()
    addTalk(home, on, { settings })
    const workspace = join(home.home, 'workspace')
    mkdirSync(workspace)
    writeFileSync(join(workspace, 'a.txt'), 'before')
    await using gateway = await openTalkGateway(home, systemClock)
    const ask = async (id: string, text: string): Promise<string> => {
      const answer = gateway.answer()
      await gateway.say(id, text)
      return answer
    }
    expect(await ask('1', 'write a.txt: after then write b.txt: made')).toContain('Wrote')
    expect(await ask('2', '/rollback 1')).toMatch(answered)
    expect(existsSync(join(workspace, 'b.txt'))).toBe(!answered.source.startsWith('^Back'))
  }
})
