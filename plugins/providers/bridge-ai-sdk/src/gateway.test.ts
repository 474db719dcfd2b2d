// @module-tag process
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { addPlainPackage } from '../test/plain-package.ts'
import { configOf } from '../test/trial.ts'
import type { BridgeConfig } from './config.ts'

const openHome = (model: string, config: (home: TestHome) => BridgeConfig): TestHome => {
  const home = openTestHome()
  const plugins = { entries: { 'provider-bridge-ai-sdk': { config: config(home) } } }
  home.write('config.yaml', JSON.stringify({ model: { provider: 'bridge-ai-sdk', default: model }, plugins }))
  return home
}

test('a package of the AI SDK answers in the program, with tools of the agent', async () => {
  await using server = await startFakeOpenai({
    key: 'sk-right',
    models: ['small'],
    answers: [
      { text: 'I write.', calls: [{ name: 'write_file', args: '{"path":"made.txt","content":"made"}' }] },
      { text: ['All ', 'done.'], usage: { input: 90, output: 7 } },
    ],
  })
  using home = openHome('acme/small', () => configOf('openai-chat', server.url))
  const run = await runAgent(home, ['chat', '-z', 'write it'], { environment: { AI_SDK_API_KEY: 'sk-right' } })
  expect(run).toMatchObject({ code: 0, note: '' })
  expect(run.out).toContain('All done.')
  expect(existsSync(join(home.work, 'made.txt'))).toBe(true)
})

test('it runs in a process beside the agent, and sees the key that is for it and no other', async () => {
  using home = openHome('plain/one', ({ work }) => ({
    folder: work,
    packages: { plain: { package: 'plain-ai', env: 'AI_SDK_API_KEY_2' } },
  }))
  addPlainPackage(home.work)
  const keys = { AI_SDK_API_KEY_2: 'key-of-plain', ANTHROPIC_API_KEY: 'sk-ant-0123456789' }
  const run = await runAgent(home, ['chat', '-z', 'who are you'], { environment: keys })
  expect(run).toMatchObject({ code: 0 })
  const { id, sees, parent } = JSON.parse(run.out)
  expect(id).toBe('one')
  expect(parent).not.toBe(process.pid)
  expect(sees).not.toContain('ANTHROPIC_API_KEY')
})

test('a package that is missing is told with what to do', async () => {
  using home = openHome('gone/one', ({ work }) => ({ folder: work, packages: { gone: { package: 'gone-ai' } } }))
  const run = await runAgent(home, ['chat', '-z', 'hello'])
  expect(run.code).not.toBe(0)
  expect(run.note).toMatch(/The package gone-ai cannot be loaded from .*npm install gone-ai/s)
})
