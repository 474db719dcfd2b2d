// @module-tag process
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openHome } from '../../../host/src/config/home/home.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { startAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

async function homeIn(home: TestHome, AGENT_HOME = ''): Promise<string> {
  const { out } = await runHere(home, ['config', 'path'], { environment: { AGENT_HOME } })
  return out.trim()
}

proves('env.agent-home.default', 'AGENT_HOME is the home; without it ~/.agent, and local application data on Windows', async () => {
  using home = openTestHome()
  expect(await homeIn(home, join(home.folder, 'else'))).toBe(join(home.folder, 'else', 'config.yaml'))
  expect(await homeIn(home)).toBe(join(home.folder, '.agent', 'config.yaml'))
  const environment = { LOCALAPPDATA: home.folder }
  expect(openHome({ environment, platform: 'win32', create: false }).path).toBe(join(home.folder, 'agent'))
})

proves('env.agent-home.legacy', 'an older home is kept until there is a new one', async () => {
  using home = openTestHome()
  mkdirSync(join(home.folder, '.agent-agent'))
  expect(await homeIn(home)).toBe(join(home.folder, '.agent-agent', 'config.yaml'))
  mkdirSync(join(home.folder, '.agent'))
  expect(await homeIn(home)).toBe(join(home.folder, '.agent', 'config.yaml'))
})

proves(['env.max-iterations', 'limit.max-iterations'], 'a turn ends after 90 steps, or after AGENT_MAX_ITERATIONS', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ calls: [{ name: 'terminal', args: '{}' }] }] })
  const endpoint = { CUSTOM_API_KEY: 'sk-any', CUSTOM_BASE_URL: server.url }
  const loop = async (environment: Record<string, string>): Promise<number> => {
    const before = server.requests.length
    const run = await runHere(home, ['chat', '-z', 'go on', '--provider', 'custom', '-m', 'fake-model'], { environment })
    expect(run).toMatchObject({ code: 1, note: expect.stringContaining('AGENT_MAX_ITERATIONS') })
    return server.requests.length - before
  }
  expect(await loop(endpoint)).toBe(90)
  expect(await loop({ ...endpoint, AGENT_MAX_ITERATIONS: '3' })).toBe(3)
})

proves('env.ephemeral-prompt', 'AGENT_EPHEMERAL_SYSTEM_PROMPT is sent with every request and stored nowhere', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'yes' }] })
  const environment = { CUSTOM_API_KEY: 'sk-any', CUSTOM_BASE_URL: server.url, AGENT_EPHEMERAL_SYSTEM_PROMPT: 'Speak like a sailor.' }
  const words = ['chat', '-z', 'hello', '--provider', 'custom', '-m', 'fake-model']
  await runHere(home, words, { environment })
  await runHere(home, [...words, '-c'], { environment })
  await runHere(home, [...words, '-c'], { environment: { ...environment, AGENT_EPHEMERAL_SYSTEM_PROMPT: '' } })
  const sent = server.requests.map(({ body }) => JSON.stringify(body.messages).includes('sailor'))
  expect(sent).toEqual([true, true, false])
  const exported = await runHere(home, ['sessions', 'export', 'latest'])
  expect(exported.out).toContain('hello')
  expect(exported.out).not.toContain('sailor')
})

proves(['env.api-timeout', 'limit.api-timeout'], 'a model call may take 900 seconds, or AGENT_API_TIMEOUT of them', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ hang: 'headers' }] })
  const endpoint = { CUSTOM_API_KEY: 'sk-any', CUSTOM_BASE_URL: server.url }
  const shown = await runHere(home, ['config', 'get', 'agent.api_timeout', '--json'])
  expect(JSON.parse(shown.out)).toMatchObject({ value: 900, source: 'default' })
  const environment = { ...endpoint, AGENT_API_TIMEOUT: '1' }
  const chat = startAgent(home, ['chat', 'hello', '--provider', 'custom', '-m', 'fake-model'], { environment })
  await chat.heard(/did not answer in time: .*Trying again/)
  chat.child.kill()
  await chat.ended
})
