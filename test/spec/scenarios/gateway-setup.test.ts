// @module-tag process
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addPostOffice, postOfficeOn } from '../../support/gateways/post-office.ts'
import { needs } from '../../support/needs.ts'
import { type AgentRun, type RunOptions, startAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { missingTmux, openTerminal } from '../../support/tmux.ts'
import { proves } from '../proves.ts'

const program = fileURLToPath(new URL('../../../host/bin/agent.mjs', import.meta.url))

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addPostOffice(home)
  home.write('config.yaml', '# mine\nmodel: { provider: offline }\n')
})
afterEach(() => home[Symbol.dispose]())

const setup = (words: readonly string[], options: RunOptions = {}): Promise<AgentRun> =>
  runHere(home, ['gateway', 'setup', ...words], options)
const token = (value: string): RunOptions => ({ environment: { POST_TOKEN: value } })
const isReady = async (): Promise<boolean> => JSON.parse((await setup(['--json'])).out).platforms.find(({ id = '' }) => id === 'post').ready

proves('cli.gateway.setup', 'without a terminal, words and the environment set a platform up once it connects', async () => {
  expect(await isReady()).toBe(false)
  const words = ['post', '--set', 'POST_TOKEN', '--set', 'POST_BRANCH=north', '--set', 'POST_ALLOWED_USERS=ann']
  const refused = await setup(words, token('wrong'))
  expect(refused).toMatchObject({ code: 1, out: '', note: 'Post refused the credentials: the token is wrong. Nothing was changed.\n' })
  expect(existsSync(join(home.home, '.env'))).toBe(false)
  expect(home.read('config.yaml')).toBe('# mine\nmodel: { provider: offline }\n')

  const done = await setup([...words, '--json'], token('right'))
  expect(JSON.parse(done.out)).toEqual({
    ...{ platform: 'post', ok: true, by: 'connection', identity: { id: 'branch-1', name: 'Post office 1' }, needsModel: false },
    ...{ written: ['POST_TOKEN', 'POST_BRANCH', 'POST_ALLOWED_USERS'], shadowed: [], enabled: true },
  })
  expect(done.out + done.note).not.toContain('right')
  expect(home.read('.env')).toBe('POST_TOKEN=right\nPOST_BRANCH=north\nPOST_ALLOWED_USERS=ann\n')
  expect(home.read('config.yaml')).toMatch(/# mine\n[\s\S]*post:\n {4}enabled: true/)
  expect(await isReady()).toBe(true)
  expect(await runHere(home, ['gateway', 'test', 'post'])).toMatchObject({ code: 0, out: 'Connected as Post office 1.\n' })
})

test('where nobody has chosen a model the setup promises no start before one is', async () => {
  home.write('config.yaml', '')
  const { code, out } = await setup(['post', '--set', 'POST_TOKEN'], token('right'))
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /Post is set up\. Post reaches other people and does not start on the offline model: choose a provider with agent model\. Then agent gateway start connects it\.\n/,
    ),
  ])
})

test('a secret is piped in or taken from the environment, and never from the command line', async () => {
  expect(await setup(['post', '--set', 'POST_TOKEN=right'])).toMatchObject({ code: 2, note: expect.stringContaining('is a secret') })
  expect(await setup(['post', '--set', 'POST_TOKEN=-'], { input: 'right\n' })).toMatchObject({ code: 0 })
  expect(home.read('.env')).toBe('POST_TOKEN=right\n')
  home.write('config.yaml', '')
  const bare = await setup(['post', '--set', 'POST_TOKEN'], token('right'))
  expect(bare).toMatchObject({ code: 0, out: expect.stringMatching(/choose a provider with agent model\. Then .* connects it/) })
})

test('what does not fit is a usage error that says what would', async () => {
  const refused: readonly (readonly [readonly string[], string])[] = [
    [['post'], 'The questions need a terminal. Try: agent gateway setup post --set POST_TOKEN'],
    [['post', '--set', 'POST_BRANHC=x'], 'Did you mean "POST_BRANCH"?'],
    [['post', '--set', 'POST_BRANCH=x'], 'Post needs POST_TOKEN (Token of the post office).'],
    [['post', '--set', 'POST_TOKEN'], 'There is no value for POST_TOKEN.'],
    [['post', '--set', 'POST_TOKEN=-', '--set', 'POST_BRANCH=-'], 'Only one value can be piped in.'],
  ]
  for (const [words, note] of refused)
    expect(await setup(words), words.join(' ')).toMatchObject({ code: 2, note: expect.stringContaining(note) })
  expect(await setup(['pots', '--test'])).toMatchObject({ code: 1, note: expect.stringContaining('Did you mean "post"?') })
  expect(existsSync(join(home.home, '.env'))).toBe(false)
})

test('what the settings of a platform require is asked for beside its variables, and fits before it is tried', async () => {
  addPostOffice(home, { needsCounters: true })
  expect(await setup(['post', '--set', 'POST_TOKEN'], token('right'))).toMatchObject({
    ...{ code: 2, note: expect.stringContaining('Post needs extra.counters (How many counters it has).') },
  })
  const set = (text: string) => ['post', '--set', 'POST_TOKEN', '--set', `extra.counters=${text}`, '--json']
  for (const [text, problem] of [
    ['many', 'extra.counters must be a number, not a string'],
    ['0', 'extra.counters must be'],
    ['', 'There is no value'],
  ] as const)
    expect(await setup(set(text), token('right'))).toMatchObject({ code: 2, note: expect.stringContaining(problem) })
  expect(home.read('config.yaml')).toBe('# mine\nmodel: { provider: offline }\n')
  const done = await setup(set('3'), token('right'))
  expect(JSON.parse(done.out)).toMatchObject({ ok: true, identity: { name: 'Post office 3' }, enabled: true })
  expect(home.read('config.yaml')).toMatch(/post:\n {4}extra:\n {6}counters: 3\n {4}enabled: true/)
  expect(await setup(['post', '--set', 'POST_TOKEN', '--json'], token('right'))).toMatchObject({ code: 0 })
})

test('--test connects and writes nothing; beside a gateway it says how that one is connected', async () => {
  expect(await setup(['post', '--test'])).toMatchObject({ code: 1, note: expect.stringContaining('POST_TOKEN is not set') })
  home.write('config.yaml', postOfficeOn)
  expect(await setup(['post', '--test'], token('wrong'))).toMatchObject({ code: 1, note: expect.stringContaining('the token is wrong') })
  expect(await setup(['post', '--test'], token('right'))).toMatchObject({ code: 0, out: 'Connected as Post office 1.\n' })
  expect(existsSync(join(home.home, '.env'))).toBe(false)
  home.write('.env', 'POST_TOKEN=right\n')
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    await gateway.heard(/post: connected/)
    const tested = await runHere(home, ['gateway', 'test', 'post', '--json'])
    expect(JSON.parse(tested.out)).toMatchObject({ platform: 'post', ok: true, by: 'gateway', status: { state: 'connected' } })
    const again = await setup(['post', '--set', 'POST_TOKEN', '--json'], token('right'))
    expect(JSON.parse(again.out)).toMatchObject({ ok: true, written: [], enabled: true })
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
}, 60_000)

const noTerminal = missingTmux()
const openSetup = (...words: string[]) =>
  openTerminal({ command: [process.execPath, program, 'gateway', 'setup', ...words], environment: home.environment, cwd: home.work })

test('at a terminal the questions lead to a connection, and a wrong token can be corrected', {
  ...needs(noTerminal),
  timeout: 60_000,
}, async () => {
  await using terminal = openSetup()
  const answer = async (question: RegExp, text: string): Promise<void> => {
    await terminal.shows(question)
    terminal.type(text)
    terminal.press('Enter')
  }
  await answer(/\d +Post +not set up[\s\S]*Which platform\?/, 'post')
  await answer(/https:\/\/post\.test\/guide[\s\S]*https:\/\/post\.test\/tokens[\s\S]*POST_TOKEN: *$/m, 'wrong-token')
  await answer(/the token is wrong\. Correct it[\s\S]*POST_TOKEN \[…\]: *$/m, 'right')
  await answer(/It knows the agent as Post office 1\.[\s\S]*Branch that letters[\s\S]*\(optional\)[\s\S]*POST_BRANCH: *$/m, 'n0rth')
  await answer(/POST_BRANCH does not look like north\.[\s\S]*POST_BRANCH: *$/m, 'north')
  await answer(/Connected as Post office 1\.[\s\S]*Choose \[2\]/, '1')
  await answer(/POST_ALLOWED_USERS: *$/m, 'ann, B0b')
  await answer(/POST_ALLOWED_USERS does not look like ann\.[\s\S]*POST_ALLOWED_USERS: *$/m, 'ann, bob')
  await answer(/POST_HOME_CHANNEL \[none\]/, 'ann')
  const screen = await terminal.shows(/Post is set up\. agent gateway start connects it\./)
  expect(screen).not.toMatch(/wrong-token|: right/)
  await terminal.ended()
  expect(home.read('.env').split('\n').sort()).toEqual([
    '',
    "POST_ALLOWED_USERS='ann, bob'",
    'POST_BRANCH=north',
    'POST_HOME_CHANNEL=ann',
    'POST_TOKEN=right',
  ])
  expect(await isReady()).toBe(true)
})

test('at a terminal required settings come first, and the connection has them', { ...needs(noTerminal), timeout: 60_000 }, async () => {
  addPostOffice(home, { needsCounters: true })
  await using terminal = openSetup('post')
  const answer = async (question: RegExp, text: string): Promise<void> => {
    await terminal.shows(question)
    terminal.type(text)
    terminal.press('Enter')
  }
  await answer(/How many counters it has[\s\S]*counters: *$/m, '')
  await answer(/It cannot do without\.[\s\S]*counters: *$/m, 'many')
  await answer(/counters must be [\s\S]*counters: *$/m, '3')
  await answer(/POST_TOKEN: *$/m, 'right')
  await answer(/It knows the agent as Post office 3\.[\s\S]*POST_BRANCH: *$/m, '')
  await answer(/Connected as Post office 3\.[\s\S]*Choose \[2\]/, '2')
  await answer(/POST_HOME_CHANNEL \[none\]/, '')
  await terminal.shows(/Post is set up\./)
  await terminal.ended()
  expect(home.read('config.yaml')).toMatch(/counters: 3\n/)
})

test('Ctrl-C at any question leaves everything as it was', { ...needs(noTerminal), timeout: 60_000 }, async () => {
  for (const until of [/Which platform\?/, /POST_TOKEN: *$/m, /POST_BRANCH: *$/m, /Choose \[2\]/]) {
    await using terminal = openSetup()
    for (const [question, text] of [
      [/Which platform\?/, 'post'],
      [/POST_TOKEN: *$/m, 'right'],
      [/POST_BRANCH: *$/m, ''],
    ] as const) {
      if (String(question) === String(until)) break
      await terminal.shows(question)
      terminal.type(text)
      terminal.press('Enter')
    }
    await terminal.shows(until)
    terminal.press('C-c')
    await terminal.ended()
    expect(existsSync(join(home.home, '.env'))).toBe(false)
    expect(home.read('config.yaml')).toBe('# mine\nmodel: { provider: offline }\n')
  }
})
