// @module-tag process
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { addMyProvider } from '../../support/my-provider.ts'
import { type AgentRun, startAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const run = (home: TestHome, ...words: string[]): Promise<AgentRun> => runHere(home, words)

proves(
  ['cli.chat.ignore-user-config', 'cli.chat.safe-mode'],
  '--ignore-user-config and --safe-mode start where config.yaml does not',
  async () => {
    using home = openTestHome()
    home.write('config.yaml', 'model:\n  provider: gone\n')
    expect(await run(home, 'chat', '-z', 'hello')).toMatchObject({ code: 1, note: expect.stringContaining('"gone"') })
    for (const flag of ['--ignore-user-config', '--safe-mode']) {
      expect(await run(home, 'chat', '-z', 'stream 1 tokens', flag)).toMatchObject({ code: 0, out: 'offline-1\n' })
    }
  },
)

proves('cli.chat.safe-mode', '--safe-mode leaves out plugins that did not come with the program', async () => {
  using home = openTestHome()
  addMyProvider(home)
  await using server = await startFakeOpenai({ answers: [{ text: 'mine' }] })
  const environment = { MINE_API_KEY: 'sk-any', MINE_BASE_URL: server.url }
  const words = ['chat', '-z', 'hello', '--provider', 'mine', '-m', 'fake-model']
  expect(await runHere(home, words, { environment })).toMatchObject({ code: 0, out: 'mine\n' })
  expect(await runHere(home, [...words, '--safe-mode'], { environment })).toMatchObject({ code: 1, out: '' })
})

proves(
  ['cli.chat.ignore-rules', 'cli.chat.safe-mode'],
  'SOUL.md, rule files and memory are part of what the model hears, unless --ignore-rules or --safe-mode leaves them out',
  async () => {
    using home = openTestHome()
    await using server = await startFakeOpenai({ models: ['m'], answers: () => ({ text: 'Yes.' }) })
    home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${server.url}\n`)
    home.write('SOUL.md', 'You are Cato.\n')
    home.write('memories/MEMORY.md', 'The harbour is in Ostia.\n')
    home.write('memories/USER.md', 'Is called Livia.\n')
    writeFileSync(join(home.work, 'AGENTS.md'), 'Speak Latin.\n')
    const heard = async (...flags: string[]): Promise<string> => {
      const words = ['chat', '-z', 'hello', '--provider', 'custom', '-m', 'm', ...flags]
      expect(await run(home, ...words)).toMatchObject({ code: 0, out: 'Yes.\n', note: '' })
      return server.requests.at(-1)?.raw ?? ''
    }
    const all = await heard()
    for (const words of ['You are Cato.', 'Speak Latin.', 'in Ostia', 'called Livia']) expect(all).toContain(words)
    for (const flag of ['--ignore-rules', '--safe-mode']) expect(await heard(flag)).not.toMatch(/Cato|Latin|Ostia|Livia/)
    await run(home, 'config', 'set', 'agent.rule_files', 'false')
    const bare = await heard()
    expect(bare).not.toMatch(/Cato|Latin/)
    expect(bare).toContain('called Livia')
  },
)

proves('env.safe-mode', 'what --safe-mode starts knows it by AGENT_SAFE_MODE, and an agent among it is in safe mode too', async () => {
  using home = openTestHome()
  const ask = ['chat', '-z', 'run echo mode=$AGENT_SAFE_MODE.']
  expect((await run(home, ...ask)).out).toContain('mode=.')
  expect((await run(home, ...ask, '--safe-mode')).out).toContain('mode=1.')
  addMyProvider(home, 'openai-chat', 'model: { provider: gone }\n')
  const inherit = (value: string, ...words: string[]): Promise<AgentRun> =>
    runHere(home, words, { environment: { AGENT_SAFE_MODE: value } })
  expect((await inherit('1', ...ask)).out).toContain('mode=1.')
  expect(await inherit('1', 'plugins', 'why', 'mine')).toMatchObject({ out: expect.stringMatching(/safe mode/i) })
  for (const value of ['0', 'false', '']) {
    expect(await inherit(value, ...ask)).toMatchObject({ code: 1, note: expect.stringContaining('"gone"') })
    expect((await inherit(value, 'plugins', 'why', 'mine')).out).not.toMatch(/safe mode/i)
  }
})

proves('cli.config-set', 'config set keeps comments, moves a secret to .env, and refuses what does not fit', async () => {
  using home = openTestHome()
  home.write('config.yaml', '_config_version: 26\nlogging:\n  level: info # as it was\n')
  expect(await run(home, 'config', 'set', 'logging.level', 'debug')).toMatchObject({ code: 0 })
  expect(home.read('config.yaml')).toContain('level: debug # as it was')
  expect(await run(home, 'config', 'set', 'model.api_key', 'sk-very-secret')).toMatchObject({ code: 0 })
  expect(home.read('config.yaml')).not.toContain('sk-very-secret')
  expect(home.read('.env')).toMatch(/^MODEL_API_KEY=.*sk-very-secret/m)
  expect(await run(home, 'config', 'get', 'model.api_key')).not.toMatchObject({ out: expect.stringContaining('sk-very-secret') })
  expect(await run(home, 'config', 'set', 'logging.level', 'loud')).toMatchObject({
    code: 1,
    note: expect.stringContaining('logging.level'),
  })
  expect(await run(home, 'config', 'set', 'loging.level', 'info')).toMatchObject({
    code: 1,
    note: expect.stringContaining('logging.level'),
  })
})

proves('cli.model', 'model chooses the provider and the model that answer from then on', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'chosen' }] })
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${server.url}\n`)
  expect(await run(home, 'model', 'custom', 'fake-model')).toMatchObject({ code: 0 })
  expect(JSON.parse((await run(home, 'model', '--json')).out)).toMatchObject({ provider: 'custom', model: 'fake-model', offline: false })
  expect(await run(home, 'chat', '-z', 'hello')).toMatchObject({ code: 0, out: 'chosen\n' })
  expect(await run(home, 'model', 'custon')).toMatchObject({ code: 1, note: expect.stringContaining('Did you mean "custom"') })
})

proves('cli.tools', 'tools lists the tools, and what is disabled is not offered to the model', async () => {
  using home = openTestHome()
  expect((await run(home, 'tools')).out).toMatch(/^terminal$/m)
  expect((await run(home, 'chat', '-z', 'run echo there')).out).toContain('there')
  expect(await run(home, 'tools', 'disable', 'terminal')).toMatchObject({ code: 0 })
  expect((await run(home, 'chat', '-z', 'run echo there')).out).toContain('not offered')
})

proves('cli.doctor', 'doctor finds nothing in a sound home, and names what is wrong in another', async () => {
  using home = openTestHome()
  expect(await run(home, 'doctor')).toMatchObject({ code: 0 })
  home.write('config.yaml', 'display:\n  interfac: cli\n')
  expect(await run(home, 'doctor')).toMatchObject({ code: 1, out: expect.stringMatching(/problem\s+configuration.*display\.interfac/) })
})

proves('cli.logs.names', 'each of the five logs can be read, and another name is refused', async () => {
  using home = openTestHome()
  for (const name of ['agent', 'errors', 'gateway', 'desktop', 'gui']) {
    home.write(`logs/${name}.log`, `${JSON.stringify({ level: 40, time: 0, msg: `said by ${name}` })}\n`)
    expect((await run(home, 'logs', name)).out).toContain(`said by ${name}`)
  }
  expect(await run(home, 'logs', 'gatway')).toMatchObject({ code: 2, note: expect.stringContaining('agent logs gateway') })
})

proves('cli.logs.follow', 'logs -f shows lines as they are written', async () => {
  using home = openTestHome()
  const line = (msg: string): string => `${JSON.stringify({ level: 30, time: 0, msg })}\n`
  home.write('logs/agent.log', line('first'))
  const follow = startAgent(home, ['logs', '-f'])
  await follow.heard(/first/)
  home.write('logs/agent.log', line('first') + line('second'))
  await follow.heard(/first\n.*second/s)
  follow.child.kill('SIGINT')
  await follow.ended
})

proves('cli.profile.create.clone', 'profile create --clone-all takes over everything but the history', async () => {
  using home = openTestHome()
  home.write('SOUL.md', 'You are Cato.\n')
  await run(home, 'chat', '-z', 'stream 1 tokens')
  const made = await run(home, 'profile', 'create', 'copy', '--clone-all', '--clone-from', 'default')
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining('everything but the history of default') })
  expect((await run(home, 'sessions')).out).toContain('stream 1 tokens')
  expect((await run(home, '-p', 'copy', 'sessions')).out).not.toContain('stream 1 tokens')
  expect(readFileSync(join(home.home, 'profiles', 'copy', 'SOUL.md'), 'utf8')).toBe('You are Cato.\n')
})

proves('purpose.profiles', 'a profile has its own configuration', async () => {
  using home = openTestHome()
  await run(home, 'profile', 'create', 'work')
  await run(home, '-p', 'work', 'config', 'set', 'logging.level', 'debug')
  expect((await run(home, '-p', 'work', 'config', 'get', 'logging.level')).out).toMatch(/^debug/)
  expect((await run(home, 'config', 'get', 'logging.level')).out).toMatch(/^info/)
})
