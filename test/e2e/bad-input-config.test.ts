// @module-tag process
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
import { runAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

const hello = ['chat', '-z', 'hello']

test('broken YAML stops every command with its line, and is never overwritten', async () => {
  using home = openTestHome()
  const broken = '# mine\nmodel:\n  provider: offline\n bad: [\n'
  const file = home.write('config.yaml', broken)
  const sentence = `agent: ${file}:4:1 is not valid YAML: All mapping items must start at the same column. Nothing was changed; correct the line, or start with --ignore-user-config.\n`
  for (const words of [hello, ['config', 'set', 'model.default', 'x'], ['gateway', 'run']]) {
    expect(await runHere(home, words)).toEqual({ code: 1, signal: null, out: '', note: sentence })
    expect(home.read('config.yaml')).toBe(broken)
  }
  expect(existsSync(join(home.home, 'state.db'))).toBe(false)
})

test.each(['config.yaml', '.env'])(
  'a pipe, a folder, bytes of another encoding or far too many of them as %s are named, and nothing hangs',
  async (name) => {
    const makers: readonly (readonly [string, (path: string) => void])[] = [
      ['is a pipe and no file', (path) => void execFileSync('mkfifo', [path])],
      ['is a folder and no file', (path) => mkdirSync(path)],
      ['is a device and no file', (path) => symlinkSync('/dev/zero', path)],
      ['has bytes in line 1 that are not UTF-8', (path) => writeFileSync(path, Buffer.from('# \xe4\n', 'latin1'))],
      ['is larger than 256 KiB', (path) => writeFileSync(path, 'NAME: 1\n'.repeat(100_000))],
    ]
    for (const [problem, make] of makers) {
      using home = openTestHome()
      const path = join(home.home, name)
      make(path)
      for (const words of [hello, ['config', 'check']]) {
        const { code, signal, out, note } = await runHere(home, words)
        expect([code, signal]).toEqual([1, null])
        expect(`${out}${note}`).toMatch(new RegExp(`^(agent: )?${path}(: error: the file:)? ${problem}.*\\n$`))
      }
    }
  },
  60_000,
)

test('settings that several processes write at once are all there', async () => {
  using home = openTestHome()
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  const written = names.flatMap((name) => [
    runAgent(home, ['config', 'set', `platforms.dingtalk.extra.${name}`, name]),
    runAgent(home, ['config', 'set', `platforms.dingtalk.extra.${name}_token`, `secret-of-${name}`]),
  ])
  expect((await Promise.all(written)).map(({ code }) => code)).toEqual(written.map(() => 0))
  for (const name of names) {
    expect(home.read('config.yaml')).toContain(`${name}: ${name}`)
    expect(home.read('.env')).toContain(`secret-of-${name}`)
  }
}, 60_000)

test('a disk that takes only half of a file leaves the old one', async () => {
  using home = openTestHome()
  const before = `_config_version: 26\n${'# a comment of many that fill the file\n'.repeat(600)}display:\n  interface: cli\n`
  home.write('config.yaml', before)
  const { code, note } = await runAgent(home, ['config', 'set', 'display.interface', 'tui'], {
    wrapper: ['bash', '-c', 'ulimit -f 8; exec "$@"', 'limited'],
  })
  expect([code, note]).toEqual([1, expect.stringContaining('config.yaml')])
  expect(home.read('config.yaml')).toBe(before)
  expect(readdirSync(home.home).filter((name) => name.startsWith('config'))).toEqual(['config.yaml'])
}, 30_000)

proves('cli.chat.ignore-user-config', 'with broken YAML --ignore-user-config answers, and leaves the file alone', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: [')
  expect(await runHere(home, [...hello, '--ignore-user-config'])).toMatchObject({
    code: 0,
    note: '',
    out: expect.stringMatching(/^Hello!/),
  })
  expect(home.read('config.yaml')).toBe('model: [')
})

test('wrong types and unknown keys are named with file, line and the nearest name', async () => {
  using home = openTestHome()
  const file = home.write(
    'config.yaml',
    '_config_version: 26\nmodel:\n  provider: 7\nagent:\n  max_turns: many\ndispay:\n  interface: cli\n',
  )
  expect(await runHere(home, hello)).toMatchObject({ code: 1, out: '', note: `agent: ${file}:3: model.provider: must be text, not 7.\n` })
  const { code, out } = await runHere(home, ['config', 'check'])
  expect([code, out.trim().split('\n')]).toEqual([
    1,
    [
      `${file}:3: error: model.provider: must be text, not 7.`,
      `${file}:5: error: agent.max_turns: must be a number, not the text "many".`,
      `${file}:6: error: dispay: there is no such key; did you mean display?`,
    ],
  ])
})

proves('config.version', 'a config.yaml of a newer version is refused and kept', async () => {
  using home = openTestHome()
  const file = home.write('config.yaml', '_config_version: 27\n')
  expect(await runHere(home, hello)).toMatchObject({
    code: 1,
    out: '',
    note: `agent: ${file} has _config_version 27; this program knows up to 26. Update agent, or restore an older file.\n`,
  })
  expect(home.read('config.yaml')).toBe('_config_version: 27\n')
})

test('a block that does not fit one plugin blocks that plugin alone', async () => {
  using home = openTestHome()
  addPostOffice(home)
  home.write('.env', 'POST_TOKEN=right\n')
  home.write('config.yaml', `${postOfficeOn}platforms:\n  post:\n    extra:\n      counters: many\n`)
  expect(await runHere(home, hello)).toMatchObject({ code: 0, note: '' })
  const { out } = await runHere(home, ['plugins', 'why', 'post'])
  expect(out).toContain('platforms.post.extra.counters')
})

proves('env.max-iterations', 'a variable that cannot be read is named', async () => {
  using home = openTestHome()
  expect(await runHere(home, hello, { environment: { AGENT_MAX_ITERATIONS: 'many' } })).toMatchObject({
    code: 1,
    out: '',
    note: 'agent: environment: AGENT_MAX_ITERATIONS: must be a whole number above 0, not "many".\n',
  })
})

proves(
  ['cli.chat.provider', 'env.inference-provider'],
  'an unknown provider is refused with the nearest one, wherever it is named',
  async () => {
    using home = openTestHome()
    const sentence = 'agent: There is no provider "ofline". Did you mean "offline"? agent model lists them.\n'
    expect(await runHere(home, [...hello, '--provider', 'ofline'])).toEqual({ code: 1, signal: null, out: '', note: sentence })
    const named = await runHere(home, hello, { environment: { AGENT_INFERENCE_PROVIDER: 'ofline' } })
    expect(named).toEqual({ code: 1, signal: null, out: '', note: sentence })
    home.write('config.yaml', 'model:\n  provider: ofline\n')
    expect(await runHere(home, hello)).toEqual({ code: 1, signal: null, out: '', note: sentence })
  },
)

test('a provider that is switched off is not replaced by the offline model', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model:\n  provider: none\n')
  const run = await runHere(home, hello)
  expect(run).toMatchObject({
    code: 1,
    out: '',
    note: expect.stringMatching(/^agent: No inference provider is configured\. Run agent model/),
  })
})

test.each(['plugins', 'logs', 'profiles', 'cache', 'skills', 'platforms'])(
  'a file where the home has the folder %s is named in one sentence, if it matters',
  async (name) => {
    using home = openTestHome()
    home.write(name, 'x')
    for (const words of [hello, ['tools'], ['logs'], ['profile', 'list'], ['gateway', 'status'], ['pairing']]) {
      const { signal, note } = await runHere(home, words)
      expect([signal, note]).toEqual([null, expect.not.stringMatching(/^\s+at |Something inside/m)])
      if (note.startsWith('agent: ')) expect(note).toMatch(new RegExp(`^agent: .*${name}.*\\.\\n$`))
    }
  },
  60_000,
)

test('an export into a folder that is not there says so', async () => {
  using home = openTestHome()
  await runHere(home, hello)
  const { code, note } = await runHere(home, ['sessions', 'export', 'latest', join(home.work, 'missing', 'out.jsonl')])
  expect([code, note]).toEqual([
    1,
    `agent: ${join(home.work, 'missing', 'out.jsonl')} is not there, or the folder for it is not; make it, or choose another place.\n`,
  ])
})
