// @module-tag process
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText } from '../../../../test/repo/source-files.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { addMyProvider } from '../../../../test/support/my-provider.ts'
import { openTestCli, runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { runWords } from '../run-words.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

function write(path: string, value: unknown): void {
  const file = join(home.work, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}
const run = (...words: string[]) => runHere(home, ['eval', ...words])
const call = (name: string, args: object) => ({ calls: [{ name, args }] })

test('turns follow each other in one session and one workspace, beside what others do', async () => {
  const talk = (name: string) => ({
    ...{ name, files: { 'a/in.txt': 'red\n' } },
    turns: [
      {
        say: 'Note the colour.',
        expect: { calls: [{ name: 'write_file', args: { path: 'out.txt' } }], files: { 'out.txt': `${name}\n`, 'a/in.txt': 'red\n' } },
      },
      { say: 'Which one was it?', expect: { answer: [name, '/^It/'], never: 'blue' }, budget: { calls: 0 } },
    ],
    script: [
      { when: 'Note the colour', ...call('read_file', { path: 'a/in.txt' }) },
      { when: 'red', ...call('write_file', { path: 'out.txt', content: `${name}\n` }) },
      { say: 'Noted.' },
      { when: ['Note the colour', 'Which one'], say: `It was ${name}.` },
    ],
  })
  write('eval.yaml', ['one', 'two', 'three'].map(talk))
  expect(await run('.', '--jobs', '3')).toMatchObject({ code: 0, note: '', out: expect.stringContaining('3 passed, 0 failed') })
  expect(existsSync(join(home.home, 'state.db'))).toBe(false)
  expect((await run('.', '--only', 'TWO', '--json')).out).toContain('"calls": 2')
})

test('a conversation ends with the first turn that did not come to what was expected, and the exit code says so', async () => {
  const turns = [{ say: 'hello', expect: { answer: 'Good evening' } }, { say: 'hello' }]
  write('eval.yaml', { name: 'greets', turns })
  const { code, out } = await run('eval.yaml')
  expect(code).toBe(1)
  expect(out).toContain('✗ eval.yaml: greets')
  expect(out).toMatch(/ {4}eval\.yaml:\d+: the answer is expected to say "Good evening", and it was "Hello! I am the offline model/)
  expect(out.match(/the answer is expected/g)).toHaveLength(1)
})

test.each([
  ['yes', '0 failed'],
  ['no', '1 failed'],
])('where the agent asks whether it may, approve: %s answers', async (approve, counts) => {
  const turns = [{ say: 'go', expect: { answer: 'gone' } }]
  const script = [call('terminal', { command: 'mkdir x && rm -rf x && echo done-it' }), { when: '/^done-it/m', say: 'gone' }]
  write('eval.yaml', { name: 'deletes', approve, turns, script })
  home.write('config.yaml', JSON.stringify({ terminal: { sandbox: 'off' } }))
  expect((await run('eval.yaml')).out).toContain(counts)
})

test('a question has the answer that nobody is there', async () => {
  const script = [
    call('clarify', { question: 'Red or blue?', choices: ['red', 'blue'] }),
    { when: 'Nobody is here to answer', say: 'I take red.' },
  ]
  write('eval.yaml', { name: 'asks', turns: [{ say: 'go', expect: { answer: 'red' } }], script })
  expect(await run('.')).toMatchObject({ code: 0 })
})

test('a command that does not exist fails, and what one that exists says is its answer', async () => {
  const help = { name: 'helps', turns: [{ say: '/help', expect: { answer: '/skills' } }] }
  write('eval.yaml', [help, { name: 'slips', turns: [{ say: '/nonsense hello' }] }])
  const { out } = await run('.')
  expect(out).toMatch(/eval\.yaml:\d+: There is no command \/nonsense\./)
  expect(out).toContain('1 passed, 1 failed')
})

test('a turn that takes longer than its budget is stopped', async () => {
  const turns = [{ say: 'stream 100000 tokens every 1000 ms', budget: { seconds: 0.2 } }]
  write('eval.yaml', { name: 'waits', turns })
  const { code, out } = await run('.')
  expect(code).toBe(1)
  expect(out).toMatch(/eval\.yaml:\d+: it took more than the 0\.2 seconds that it may/)
})

test('budgets of a whole conversation are told in each report, with how far they are passed', async () => {
  const script = [call('write_file', { path: 'a.txt', content: 'a' }), { say: 'One.' }, { say: 'Two.' }, { say: 'Three.' }]
  const turns = ['one', 'two', 'three'].map((say) => ({ say }))
  const within = { name: 'within', turns, script, budget: { calls: 1, requests: 4, seconds: 60, tokens: 1_000_000, money: 0.01 } }
  write('eval.yaml', [within, { ...within, name: 'beyond', budget: { requests: 2, calls: 1 } }])
  const sentence = /eval\.yaml:\d+: the conversation may take 2 requests to models, and after turn 2 of 3 it had taken 3, 1 more/
  const { code, out } = await run('.', '--junit', 'report.xml')
  expect(code).toBe(1)
  expect(out).toContain('✓ eval.yaml: within')
  expect(out).toMatch(sentence)
  expect(readFileSync(join(home.work, 'report.xml'), 'utf8')).toMatch(sentence)
  expect(JSON.parse((await run('.', '--json')).out)).toMatchObject({
    conversations: [{ status: 'passed' }, { status: 'failed', problems: [expect.stringMatching(sentence)] }],
  })
})

test('a conversation that takes longer than its budget is stopped in the turn that does', async () => {
  const turns = [{ say: 'hello' }, { say: 'stream 100000 tokens every 1000 ms', budget: { seconds: 60 } }]
  write('eval.yaml', { name: 'waits', turns, budget: { seconds: 3 } })
  const { code, out } = await run('.')
  expect(code).toBe(1)
  expect(out).toMatch(/eval\.yaml:\d+: the conversation may take 3 seconds, and was stopped after them in turn 2 of 2/)
})

test('a budget in money goes by the prices of the home, and does not hold where nobody knows them', async () => {
  const answers = () => ({ text: 'Real.', usage: { input: 1000, output: 100 } })
  await using server = await startFakeOpenai({ models: ['large'], key: 'right', answers })
  const model = 'model: { provider: mine, default: large }'
  addMyProvider(home, 'openai-chat', model)
  home.write('.env', `MINE_API_KEY=right\nMINE_BASE_URL=${server.url}\n`)
  write('eval.yaml', { name: 'costs', turns: [{ say: 'Who?' }], budget: { money: 0.001 } })
  expect((await run('.')).out).toMatch(/eval\.yaml:\d+: nobody knows the price of mine\/large/)
  const config = readFileSync(join(home.home, 'config.yaml'), 'utf8')
  home.write('config.yaml', `${config}\nprices: [{ provider: mine, model: large, input: 2, output: 10 }]\n`)
  expect((await run('.')).out).toContain('the conversation may take $0.001, and after turn 1 of 1 it had taken $0.003, $0.002 more')
})

test('who stops it hears which conversations were not finished, and they change nothing for the next run', async () => {
  const slow = { name: 'slow', turns: [{ say: 'stream 100000 tokens every 1000 ms' }] }
  write('eval.yaml', [{ name: 'quick', turns: [{ say: 'hello' }] }, slow, { ...slow, name: 'later' }])
  const stop = new AbortController()
  const { cli, said } = openTestCli({
    ...{ installRoot: fileURLToPath(new URL('../../../..', import.meta.url)), environment: home.environment, cwd: home.work },
    signal: stop.signal,
    onLine: (line) => {
      if (line.includes('quick')) stop.abort()
    },
  })
  await runWords(cli, ['eval', '.', '--jobs', '2'])
  expect(said).toMatchObject({ code: 130, out: expect.stringContaining('1 passed, 0 failed, 2 not finished.') })
  expect(said.out).toContain('- eval.yaml: later  not finished')
})

test('the model, its key and the plugins are those of the home, and nothing of a conversation stays in it', async () => {
  const answers = () => ({ text: 'I am real.' })
  await using server = await startFakeOpenai({ models: ['large', 'small'], key: 'right', answers })
  addMyProvider(home, 'openai-chat', 'model: { provider: mine, default: large }')
  home.write('.env', `MINE_API_KEY=right\nMINE_BASE_URL=${server.url}\n`)
  write('eval.yaml', {
    name: 'says who it is',
    turns: [{ say: 'Who?', expect: { answer: 'real' } }],
    script: [{ say: 'Not by the script.' }],
  })
  expect(await run('.')).toMatchObject({ code: 0, out: expect.stringContaining('1 conversation with mine/large: 1 passed') })
  expect(await run('.', '-m', 'small')).toMatchObject({ code: 0, out: expect.stringContaining('with mine/small') })
  const offline = await run('.', '--provider', 'offline')
  expect(offline).toMatchObject({ code: 1, out: expect.stringContaining('and it was "Not by the script."') })
  // Each model has a separate last run.
  expect(offline.out).not.toContain('new failure')
  expect(existsSync(join(home.home, 'state.db'))).toBe(false)
  expect(readFileSync(join(home.home, '.env'), 'utf8')).toContain('MINE_API_KEY=right')
  home.write('.env', `MINE_BASE_URL=${server.url}\n`)
  expect((await run('.')).out).toContain('1 failed')
  home.write('auth.json', JSON.stringify({ version: 1, keys: { mine: [{ key: 'right', at: 1 }] } }))
  expect(await run('.')).toMatchObject({ code: 0, out: expect.stringContaining('mended: eval.yaml: says who it is') })
})

test('only the toolsets that it names are there', async () => {
  const script = [
    call('terminal', { command: 'echo hi' }),
    { when: '/no (?:such )?tool|not (?:there|offered|known)|unknown/i', say: 'There is none.' },
  ]
  write('eval.yaml', { name: 'has files only', toolsets: ['files'], turns: [{ say: 'go', expect: { answer: 'none' } }], script })
  expect(await run('.')).toMatchObject({ code: 0 })
  write('eval.yaml', { name: 'has files only', toolsets: ['files', 'fils'], turns: [{ say: 'go' }] })
  expect((await run('.')).out).toMatch(/eval\.yaml:\d+: there is no toolset "fils"; there are .*files.*terminal/)
})

test('plugins that it names are there, and one that does not run is named', async () => {
  const manifest = { manifestVersion: 1, id: 'skills-tea', name: 'Tea', description: 'Makes tea.', version: '1.0.0', license: 'MIT' }
  const contributes = { skills: [{ id: 'tea', path: 'skills/tea' }] }
  write('tea/agent.plugin.json', { ...manifest, api: { skills: 1 }, contributes })
  write('tea/skills/tea/SKILL.md', '---\nname: tea\ndescription: Make tea.\n---\n\nWarm the pot.\n')
  const talk = {
    turns: [{ say: '/tea Make some.', expect: { answer: 'pot' } }],
    script: [{ when: 'Warm the pot', say: 'The pot is warm.' }],
  }
  write('tea/eval.yaml', { name: 'makes tea', plugins: ['.'], ...talk })
  home.write('plugins/local/other/agent.plugin.json', '{}')
  expect(await run('tea')).toMatchObject({ code: 0 })
  write('tea/agent.plugin.json', { ...manifest, api: { skills: 99 }, contributes })
  expect((await run('tea')).out).toMatch(/tea\/eval\.yaml:\d+: the plugin \. does not run: .*99/)
  write('tea/eval.yaml', { name: 'makes tea', plugins: ['../none'], ...talk })
  expect((await run('tea')).out).toMatch(/the plugin \.\.\/none is not there: \.\.\/none\/agent\.plugin\.json is missing/)
  expect(readdirSync(join(home.home, 'plugins', 'local'))).toEqual(['other'])
})

test('its home and folder are gone afterwards, and neither settings nor a script of elsewhere reach it', async () => {
  home.write('config.yaml', JSON.stringify({ platforms: { cli: { toolsets: ['files'] } } }))
  write('eval.yaml', [
    { name: 'tells where', turns: [{ say: '/status', expect: { answer: 'elsewhere' } }] },
    { name: 'answers by itself', turns: [{ say: 'run echo it-runs', expect: { answer: 'it-runs' } }] },
  ])
  const { out } = await runHere(home, ['eval', '.'], { environment: { AGENT_OFFLINE_SCRIPT: '/nowhere/script.yaml' } })
  expect(out).toContain('1 passed, 1 failed')
  const [folder = ''] = /\/\S*agent-eval-\w+/.exec(out) ?? []
  expect(folder).not.toBe('')
  expect(existsSync(folder)).toBe(false)
})

test('a turn that takes all of its steps fails', async () => {
  home.write('config.yaml', JSON.stringify({ agent: { max_turns: 1 } }))
  const look = call('read_file', { path: 'a.txt' })
  write('eval.yaml', { name: 'goes on', files: { 'a.txt': 'a' }, turns: [{ say: 'go' }], script: [look, look, look] })
  const { code, out } = await run('.')
  expect(code).toBe(1)
  expect(out).toMatch(/eval\.yaml:\d+: the agent took all of its steps and was not done/)
})

test('files that cannot lie beside each other fail that conversation alone, and a report that cannot be written is told', async () => {
  write('eval.yaml', [
    { name: 'odd', files: { a: 'x', 'a/b': 'y' }, turns: [{ say: 'hello' }] },
    { name: 'even', turns: [{ say: 'hello' }] },
  ])
  const { code, out } = await run('.')
  expect(code).toBe(1)
  expect(out).toMatch(/ {4}eval\.yaml:\d+: files: .*\n/)
  expect(out).toContain('1 passed, 1 failed')
  expect(await run('.', '--junit', 'eval.yaml/report.xml')).toMatchObject({ code: 2, note: expect.stringContaining('cannot be written') })
})

test('the page about it says what is so', async () => {
  const page = readText('host/docs/try-conversations.md')
  for (const [, path = '', text = ''] of page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)) write(path, text)
  const [, commands = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
  const lines = commands.trim().split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) {
    expect(await run(...line.split(' ').slice(2)), line).toMatchObject({ code: 0 })
  }
  expect(readFileSync(join(home.work, 'report.xml'), 'utf8')).toContain('tests="1" failures="0"')
  write('letters/SKILL.md', '---\nname: letters\ndescription: Write letters.\n---\n\nWrite well.\n')
  expect((await run('.')).out).toMatch(
    /letters\/eval\.yaml:\d+: step 1 of the script with the skill letters needs "Write into a new file in `letters\/`"/,
  )
})

test.each([
  ['a file that is wrong, before any is run', ['.'], 'eval.yaml:1: turns: is missing.'],
  ['a folder without conversations', ['empty'], 'There are no conversations in empty.'],
  ['a number of jobs that is none', ['good', '--jobs', 'many'], '--jobs must be a whole number from 1 to 99, not "many"'],
  ['a text that no conversation has', ['good', '--only', 'x-y'], 'No conversation has "x-y" in its file or name'],
])('it refuses %s', async (_, words, sentence) => {
  write('eval.yaml', 'name: half\n')
  write('good/eval.yaml', { name: 'good', turns: [{ say: 'hello' }] })
  mkdirSync(join(home.work, 'empty'))
  const result = await run(...words)
  expect(result).toMatchObject({ code: words[0] === 'good' ? 2 : 1, out: '', note: expect.stringContaining(sentence) })
})

test('a conversation sees nothing of the homes of the person, by no way, and what he forbids does not run', async () => {
  writeFileSync(join(home.home, '.env'), 'MY_KEY=s3cret-of-the-person\n')
  writeFileSync(
    join(home.home, 'config.yaml'),
    JSON.stringify({ _config_version: 26, approvals: { deny: ['touch *'] }, terminal: { sandbox: 'off' } }),
  )
  const steps = [
    call('read_file', { path: join(home.home, '.env') }),
    call('write_file', { path: join(home.home, 'SOUL.md'), content: 'Obey.' }),
    call('terminal', { command: `ln -s ${join(home.home, 'config.yaml')} link.txt` }),
    call('terminal', { command: 'touch made.txt' }),
    { say: 'Done.' },
  ]
  const turns = [{ say: 'Go on.', expect: { never: 's3cret', files: { 'link.txt': 'x' } } }]
  write('eval.yaml', { name: 'steals', approve: 'yes', turns, script: steps })
  const { code, out } = await run('eval.yaml')
  expect([code, out]).toEqual([1, expect.stringContaining('there is no such file')])
  expect(out).not.toContain('touch *')
  expect(readFileSync(join(home.home, 'config.yaml'), 'utf8')).toContain('touch *')
  write('eval.yaml', {
    name: 'touches',
    approve: 'yes',
    turns: [{ say: 'Go.', expect: { files: { 'made.txt': 'x' } } }],
    script: steps.slice(3),
  })
  expect(await run('eval.yaml')).toMatchObject({ code: 1, out: expect.stringContaining('there is no such file') })
})

test('a script that was given a key of the person has not got it', async () => {
  writeFileSync(join(home.home, '.env'), 'MY_KEY=s3cret-of-the-person\n')
  const script = [
    call('read_file', { path: join(home.home, '.env') }),
    { when: 's3cret-of', say: 'I have it.' },
    { say: 'I have nothing.' },
  ]
  write('eval.yaml', { name: 'reads', turns: [{ say: 'Read it.', expect: { answer: 'nothing' } }], script })
  expect(await run('eval.yaml')).toMatchObject({ out: expect.stringContaining('needs "s3cret-of"'), code: 1 })
})
