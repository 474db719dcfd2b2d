// @module-tag process
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { diceFiles, editLock, type InstallStage, openInstallStage } from '../../../../../test/support/install-stage.ts'
import { besideProgress, startAgent } from '../../../../../test/support/run-agent.ts'
import { runCommand, runHere } from '../../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../../test/support/test-home.ts'
import { command } from '../../commands/plugins.ts'

let stage: InstallStage
beforeEach(() => {
  stage = openInstallStage()
})
afterEach(() => stage[Symbol.dispose]())

const number = { type: 'number', minimum: 2 }
/** Dice with settings, as a package that any machine can fetch. */
const dice = (): string =>
  stage.pack('dice', {
    ...diceFiles({
      configSchema: { type: 'object', properties: { sides: number, colour: { type: 'string' }, token: { type: 'string' } } },
    }),
  })
const config = (): string => join(stage.home, 'config.yaml')
const settings = (): unknown => (existsSync(config()) ? parse(readFileSync(config(), 'utf8')).plugins.entries : undefined)
const list = (...plugins: object[]): string => {
  stage.write(join(stage.folder, 'team.yaml'), stringify({ format: 1, name: 'team', plugins }))
  return 'team.yaml'
}
const wanted = (): object => ({ id: 'toolset-dice', install: dice(), enabled: true, config: { sides: 6 }, asks: ['token'] })

/** The same command again with each hash that it asks for. */
async function accept(file: string): Promise<Awaited<ReturnType<InstallStage['run']>>> {
  const hashes: string[] = []
  for (;;) {
    const ran = await stage.run(['pack', 'install', file, ...hashes.flatMap((hash) => ['--accept', hash])])
    const [hash] = /[0-9a-f]{64}\.?$/m.exec(ran.note) ?? []
    if (ran.error !== 'PLUGIN_CONSENT' || hash === undefined) return ran
    hashes.push(hash.replace('.', ''))
  }
}

test('a list is shown as a whole before anything of it is done, and then each package', async () => {
  const file = list(wanted())
  const refused = await stage.run(['pack', 'install', file])
  expect(refused).toMatchObject({ code: 1, error: 'PLUGIN_CONSENT', out: '' })
  expect(refused.note).toContain('It installs, and you are asked about each:\n  toolset-dice (file:')
  expect(refused.note).toContain('It switches on:\n  toolset-dice\nIt sets:\n  plugins.entries.toolset-dice.config.sides: 6\nThis is ')
  const { consent } = (await stage.json('pack', 'install', file)) as { consent?: { pack: string; hash: string; text: string } }
  expect(consent).toMatchObject({ pack: 'team', text: expect.stringContaining('toolset-dice') })
  const second = await stage.run(['pack', 'install', file, '--accept', consent?.hash ?? ''])
  expect(second).toMatchObject({ error: 'PLUGIN_CONSENT' })
  expect(second.note).toContain('Its tools:\n  roll (touches nothing)')
  expect(settings()).toBeUndefined()
  expect(await stage.json('list')).not.toHaveProperty(['plugins', '1'])
})

test('what is agreed to is installed, switched on and set up, and a second time there is nothing to do', async () => {
  const done = await accept(list(wanted()))
  expect([done.code, besideProgress(done.note)]).toEqual([0, ''])
  expect(done.out.split('\n')).toEqual([
    'toolset-dice 1.0.0 is installed.',
    'plugins.entries.toolset-dice.enabled is set.',
    'plugins.entries.toolset-dice.config.sides is set.',
    'plugins.entries.toolset-dice.config.token is left to you: agent config set plugins.entries.toolset-dice.config.token VALUE',
    '',
  ])
  expect(settings()).toEqual({ 'toolset-dice': { enabled: true, config: { sides: 6 } } })
  const before = stage.fingerprint()
  const again = await stage.run(['pack', 'install', 'team.yaml'])
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^Everything that the list "team" names is here\.\n/)])
  expect(stage.fingerprint()).toBe(before)
})

test('what is set here stays, and that is said before and after', async () => {
  stage.write(config(), stringify({ plugins: { entries: { 'toolset-dice': { enabled: false, config: { sides: 20 } } } } }))
  const file = list({ ...wanted(), config: { sides: 6, colour: 'red' } })
  const asked = await stage.run(['pack', 'install', file])
  expect(asked.note).toContain(
    'These have another value here, which stays:\n  plugins.entries.toolset-dice.enabled\n  plugins.entries.toolset-dice.config.sides\n',
  )
  const done = await accept(file)
  expect(done.out).toContain('plugins.entries.toolset-dice.config.sides stays as it is here; the list has another value.')
  expect(settings()).toEqual({ 'toolset-dice': { enabled: false, config: { sides: 20, colour: 'red' } } })
})

test('settings that do not fit are refused by what the installed plugin says, and none is written', async () => {
  const done = await accept(list({ ...wanted(), config: { colour: 'red', sides: 1 } }))
  expect(done).toMatchObject({ code: 1, error: 'CONFIG_VALUE_INVALID' })
  expect(done.note).toContain('plugins.entries.toolset-dice.config.sides was not changed')
  expect(settings()).toBeUndefined()
})

test('what is switched on and does not run yet is told with what would help', async () => {
  stage.write(config(), stringify({ plugins: { deny: ['toolset-dice'] } }))
  const done = await accept(list(wanted()))
  expect(done.code).toBe(0)
  expect(done.out).toMatch(/\ntoolset-dice does not run yet: .*plugins\.deny.*\nTo change that: /)
})

test('a gateway that runs takes it over', { timeout: 60_000 }, async () => {
  using home = openTestHome()
  const file = join(home.folder, 'team.yaml')
  stage.write(file, stringify({ format: 1, name: 'team', plugins: [{ id: 'hooks-telemetry', enabled: true }] }))
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000 })
  try {
    await gateway.heard(/api-server: connected/)
    const asked = await runHere(home, ['plugins', 'pack', 'install', file, '--json'])
    const done = await runHere(home, ['plugins', 'pack', 'install', file, '--accept', JSON.parse(asked.out).consent.hash])
    expect([done.code, done.out]).toEqual([0, 'plugins.entries.hooks-telemetry.enabled is set.\n'])
    expect(done.note).toContain('The running gateway uses the hooks telemetry from the next turn on.')
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
})

test('what a stranger wrote into a list steers no terminal, and errors are JSON where that is wanted', async () => {
  const name = 'x\u001b[2J\n\u202ename'
  stage.write(join(stage.folder, 'odd.yaml'), stringify({ format: 1, name, plugins: [{ id: 'toolset-files', config: { a: name } }] }))
  const { note } = await stage.run(['pack', 'install', 'odd.yaml'])
  expect(note).toContain('toolset-files.config.a')
  // A line of it is a line of the plan.
  expect(note.split('\n')[0]).toMatch(/^The list "x.*name" changes this:$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  expect(note).not.toMatch(/[\u001b\u202e]/)
  expect(await stage.json('pack', 'install', 'none.yaml')).toMatchObject({ error: { code: 'USAGE' } })
})

test('a no at the terminal changes nothing', async () => {
  const file = list(wanted())
  const before = stage.fingerprint()
  const input = new PassThrough()
  input.end('n\n')
  const ran = await runCommand(
    (cli) => command({ ...cli, terminal: true, input, installRoot: join(stage.folder, 'install'), cwd: stage.folder }),
    ['pack', 'install', file],
    { environment: stage.environment },
  )
  expect(ran).toMatchObject({ code: 1, error: 'PLUGIN_DECLINED' })
  expect(stage.fingerprint()).toBe(before)
})

test.each([
  [
    'a secret',
    { token: 'sk-1' },
    /^agent: team\.yaml:\d+: plugins\.0\.config\.token: a list holds no secret and names no variable; write token under asks\./,
  ],
  ['a variable', { colour: `x ${'$'}{OPENAI_API_KEY}` }, /config\.colour: a list holds no secret and names no variable/],
  ['one deep inside', { colour: { shades: [{ password: 'x' }] } }, /config\.colour: a list holds no secret/],
  ['a password in an address', { colour: 'https://ann:pw@example.org' }, /config\.colour: a list holds no secret/],
])('a list with %s is refused', async (_, values, sentence) => {
  const ran = await stage.run(['pack', 'install', list({ id: 'toolset-dice', config: values })])
  expect(ran).toMatchObject({ code: 2, error: 'USAGE', note: expect.stringMatching(sentence) })
})

test.each([
  ['no YAML', 'plugins: [', /^agent: bad\.yaml:1: the file: /],
  ['another format', 'format: 2\nname: x\nplugins: [{ id: a }]\n', /^agent: bad\.yaml:1: format: /],
  ['a switch that no list has', 'format: 1\nname: x\nplugins:\n  - id: a\n    isolation: inproc\n', /^agent: bad\.yaml:4: .*isolation/],
  ['a plugin twice', 'format: 1\nname: x\nplugins:\n  - id: a\n  - id: a\n', /^agent: bad\.yaml:5: id: a is there twice/],
  ['a plugin that nobody has', 'format: 1\nname: x\nplugins:\n  - id: a\n', /a, which does not come with agent, and says no package of it/],
  [
    'a folder',
    'format: 1\nname: x\nplugins:\n  - id: a\n    install: link:x\n',
    /wants a from a folder, and a list installs packages alone/,
  ],
])('a list with %s is refused with its place, and nothing changes', async (_, text, sentence) => {
  stage.write(join(stage.folder, 'bad.yaml'), text)
  const before = stage.fingerprint()
  expect(await stage.run(['pack', 'install', 'bad.yaml'])).toMatchObject({ code: 2, note: expect.stringMatching(sentence) })
  expect(stage.fingerprint()).toBe(before)
})

test('a package of another name than the list says is not installed', async () => {
  const done = await accept(list({ id: 'toolset-cards', install: dice() }))
  expect(done).toMatchObject({ code: 1, error: 'PLUGIN_REFUSED' })
  expect(existsSync(join(stage.home, 'plugins', 'store'))).toBe(false)
})

test('what is written out has no secrets and nothing of this machine alone, says so, and can be read again', async () => {
  await stage.install(dice())
  const address = 'https://a:b@example.org'
  const entries = {
    'toolset-dice': { enabled: true, config: { sides: 6, token: `${'$'}{NOTES_TOKEN}`, home: address, said: 'very-secret-words' } },
    'toolset-files': { enabled: false, isolation: 'process' },
    'toolset-gone': { enabled: true },
  }
  stage.write(config(), stringify({ plugins: { entries } }))
  stage.write(join(stage.home, '.env'), 'NOTES_TOKEN=very-secret-words\n')
  const first = await stage.run(['pack', 'export', 'mine.yaml'])
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('mine.yaml is written. Read it before you give it away.') })
  expect(first.note).toContain('toolset-dice is left out: it was installed from a file of this machine.')
  editLock(stage.home, (entry) => ({ ...entry, spec: 'agent-plugin-dice@^1.0.0' }))
  const done = await stage.run(['pack', 'export'])
  const list = {
    ...{ format: 1, name: 'plugins' },
    plugins: [
      { id: 'toolset-files', enabled: false },
      { id: 'toolset-dice', install: 'agent-plugin-dice@^1.0.0', enabled: true, config: { sides: 6 }, asks: ['token', 'home', 'said'] },
    ],
  }
  expect(parse(done.out)).toEqual(list)
  expect(done.note).toContain('plugins.entries.toolset-dice.config.home is left out: it is a secret or names a variable.')
  expect(await stage.json('pack', 'export')).toMatchObject({ pack: list, file: null, left: { length: 3 } })
  expect(await stage.run(['pack', 'export', 'mine.yaml'])).toMatchObject({ code: 2, note: expect.stringContaining('is there already') })
  stage.write(join(stage.folder, 'again.yaml'), done.out)
  expect(await stage.run(['pack', 'install', 'again.yaml'])).toMatchObject({ code: 0, out: expect.stringContaining('is here.') })
})

test('a home without a plugin that others could have writes nothing out', async () => {
  expect(await stage.run(['pack', 'export', 'mine.yaml'])).toMatchObject({ code: 2, error: 'USAGE' })
  expect(existsSync(join(stage.folder, 'mine.yaml'))).toBe(false)
})
