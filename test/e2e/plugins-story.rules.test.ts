// @module-tag process
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openChat } from '../../plugin-sdk/examples/platform/test/chat.ts'
import { fetchVerdaccio, openRegistry } from '../support/fakes/verdaccio.ts'
import { needs } from '../support/needs.ts'
import { readStarted } from '../support/processes-of.ts'
import { type AgentRun, runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const missing = await fetchVerdaccio()

test('a platform is created, developed, checked, published, searched, installed, enabled, used, updated, rolled back and removed', {
  ...needs(missing),
  timeout: 180_000,
}, async () => {
  await using registry = await openRegistry()
  await using chat = await openChat('right')
  using home = openTestHome()
  writeFileSync(join(home.folder, '.npmrc'), registry.npmrc)
  const agent = (...words: string[]): Promise<AgentRun> => runAgent(home, words, { timeoutMs: 60_000 })
  const succeed = async (...words: string[]): Promise<string> => {
    const { code, out, note } = await agent(...words)
    expect(code, `agent ${words.join(' ')}: ${out}${note}`).toBe(0)
    return out
  }
  const consent = async (...words: string[]): Promise<string> => JSON.parse((await agent(...words, '--json')).out).consent.hash
  const settings = '# mine\n_config_version: 26\nmodel:\n  provider: offline # for now\n'
  home.write('config.yaml', settings)

  // The author's side
  await succeed('plugins', 'create', 'platform', 'chatter')
  const folder = join(home.work, 'platform-chatter')
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')))
  const release = async (version: string): Promise<void> => {
    edit('package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
    await succeed('plugins', 'build', folder)
    expect(await succeed('plugins', 'check', folder)).toMatch(/rules hold/)
    await registry.publishFolder(folder)
  }
  await release('1.0.0')

  // The user's side
  const { packages } = JSON.parse(await succeed('plugins', 'search', 'chatter', '--json'))
  expect(packages).toMatchObject([{ name: 'agent-plugin-platform-chatter', version: '1.0.0' }])
  const spec = 'agent-plugin-platform-chatter'
  await succeed('plugins', 'install', spec, '--accept', await consent('plugins', 'install', spec))
  home.write('.env', 'CHATTER_TOKEN=right\nCHATTER_ALLOWED_USERS=ann\n')
  await succeed('config', 'set', 'platforms.chatter.extra.server', chat.url)
  await succeed('plugins', 'enable', 'platform-chatter')
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 150_000 })
  try {
    const answered = async (text: string): Promise<void> => {
      const before = chat.heard.length
      chat.say(text)
      await expect.poll(() => chat.heard.length, { timeout: 30_000 }).toBeGreaterThan(before)
    }
    await answered('hello')

    edit('src/plugin.ts', (text) =>
      text.replace('env: [{', "env: [{ name: 'CHATTER_NICK', secret: false, required: false, prompt: 'Nick' }, {"),
    )
    await release('1.1.0')
    const refused = await agent('plugins', 'update', 'platform-chatter')
    expect(refused).toMatchObject({ code: 1, note: expect.stringContaining('New since you agreed:\n  CHATTER_NICK') })
    await succeed('plugins', 'update', 'platform-chatter', '--accept', await consent('plugins', 'update', 'platform-chatter'))
    await answered('hello again')
    await succeed('plugins', 'rollback', 'platform-chatter')
    expect(await succeed('plugins', 'list')).toMatch(/^platform-chatter +ready/m)
    await answered('hello at last')
    await succeed('config', 'unset', 'platforms.chatter.extra.server')
    await succeed('plugins', 'remove', 'platform-chatter', '--data')
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
  expect(readdirSync(home.home)).not.toContain('plugins')
  expect(home.read('config.yaml')).toBe(settings)
  expect(readStarted(home)).toEqual([])
})
