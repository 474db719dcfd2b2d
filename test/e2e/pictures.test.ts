// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeServer } from '@agent/plugin-sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPainter as openGeminiPainter } from '../../plugins/images/gemini/test/server.ts'
import { openPainter, pixel } from '../../plugins/images/openai/test/server.ts'
import { readText } from '../repo/source-files.ts'
import { proves } from '../spec/proves.ts'
import { type FakeOpenai, startFakeOpenai } from '../support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest } from '../support/fakes/fake-vendor.ts'
import { addPostOffice } from '../support/gateways/post-office.ts'
import { gatewayRuns, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const url = `data:image/png;base64,${pixel}`

/** The model `eyes` describes; any other paints when it is asked to, and shows what it has painted. */
function answer({ raw, body }: FakeRequest): FakeAnswer {
  if (body.model === 'eyes') return { text: raw.includes(url) ? 'One grey dot.' : 'Nothing.' }
  const [, path] = /Painted (\S+)/.exec(raw) ?? []
  if (path !== undefined) return { text: `Here it is.\nMEDIA:${path}` }
  return raw.includes('Paint') ? { calls: [{ name: 'image_generate', args: '{"prompt":"a red rose"}' }] } : { text: 'I see.' }
}

let painter: FakeServer
let models: FakeOpenai
beforeAll(async () => {
  painter = await openPainter('right-key')
  models = await startFakeOpenai({ models: ['painter', 'may-see', 'gpt-oss-20b', 'eyes'], answers: answer })
})
afterAll(async () => {
  await painter[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
})

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

/** The model of the conversation, and what else stands in config.yaml. */
function configure(model: string, more: object = {}): void {
  const entries = { 'platform-post': { enabled: true }, 'image-openai': { config: { base_url: `${painter.url}/v1` } } }
  home.write(
    'config.yaml',
    JSON.stringify({ model: { provider: 'custom', default: model, base_url: models.url }, plugins: { entries }, ...more }),
  )
}

const lastOf = (model: string): string => models.requests.findLast(({ body }) => body.model === model)?.raw ?? ''

test('a picture that the agent paints lies in its workspace, and goes to the conversation with the answer', async () => {
  const office = addPostOffice(home)
  configure('painter')
  office.know([{ id: 'desk', kind: 'dm', text: 'Paint a red rose.' }])
  const environment = { OPENAI_API_KEY: 'right-key', POST_TOKEN: 'right', POST_ALLOWED_USERS: 'ann' }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  try {
    await gateway.heard(gatewayRuns)
    await expect.poll(() => office.posted().length, { timeout: 30_000 }).toBeGreaterThan(0)
    const [letter] = office.posted()
    expect(letter).toMatchObject({ conversation: 'desk', text: 'Here it is.', media: [{ kind: 'image', mime: 'image/png' }] })
    expect(Buffer.from(letter?.media[0]?.content ?? '', 'latin1').toString('base64')).toBe(pixel)
    const folder = join(home.home, 'workspace', 'images')
    const [file = ''] = readdirSync(folder)
    expect(file).toMatch(/^a-red-rose-[\da-f]{8}\.png$/)
    expect(readFileSync(join(folder, file)).toString('base64')).toBe(pixel)
    expect(painter.journal.map((asked) => asked.url)).toEqual(['/v1/images/generations'])
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
}, 90_000)

proves(
  ['purpose.auxiliary-models', 'config.auxiliary.endpoint'],
  'a picture goes to a model that may see, and as words to one that does not: another model, at the address and with the key of that task, describes it',
  async () => {
    await using looker = await startFakeOpenai({ key: 'key-of-eyes', models: ['eyes'], answers: answer })
    const lastSeen = (): string => looker.requests.at(-1)?.raw ?? ''
    configure('may-see', { auxiliary: { vision: { provider: 'custom', model: 'eyes', base_url: looker.url, api_key: 'key-of-eyes' } } })
    const gateway = startAgent(home, ['gateway', 'run'], { environment: {}, timeoutMs: 60_000 })
    try {
      const [, door = ''] = /^agent listens at (\S+)\n/.exec(await gateway.heard(gatewayRuns)) ?? []
      const content = [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url } },
      ]
      const show = async (): Promise<string> => {
        const body = JSON.stringify({ messages: [{ role: 'user', content }] })
        return (
          await fetch(`${door}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        ).text()
      }
      expect(await show()).toContain('I see.')
      expect(lastOf('may-see')).toContain(url)
      expect(lastSeen()).toBe('')
      await runHere(home, ['config', 'set', 'model.default', 'gpt-oss-20b'])
      expect(await show()).toContain('I see.')
      expect(lastOf('gpt-oss-20b')).toContain('A picture, as another model describes it: One grey dot.')
      expect(lastOf('gpt-oss-20b')).not.toContain(url)
      expect([lastSeen().includes(url), lastOf('eyes')]).toEqual([true, ''])
      await runHere(home, ['config', 'set', 'agent.image_input', 'native'])
      await show()
      expect(lastOf('gpt-oss-20b')).toContain(url)
      expect((await runHere(home, ['usage', '--by', 'platform'])).out).toMatch(/vision/)
      const seen = looker.requests.length
      await runHere(home, ['config', 'set', 'budgets', '[{ tokens: 10, per: day, platform: vision }]'])
      await runHere(home, ['config', 'set', 'agent.image_input', 'text'])
      expect(await show()).toContain('I see.')
      expect(looker.requests).toHaveLength(seen)
    } finally {
      gateway.child.kill('SIGTERM')
      await gateway.ended
    }
  },
  90_000,
)

test('a running gateway paints with the backend that the settings name now, and what it painted is counted', async () => {
  await using gemini = await openGeminiPainter('g-key')
  configure('painter')
  const settings = JSON.parse(home.read('config.yaml'))
  settings.plugins.entries['image-gemini'] = { config: { base_url: `${gemini.url}/v1beta` } }
  home.write('config.yaml', JSON.stringify(settings))
  const environment = { OPENAI_API_KEY: 'right-key', GEMINI_API_KEY: 'g-key' }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  try {
    const [, door = ''] = /^agent listens at (\S+)\n/.exec(await gateway.heard(gatewayRuns)) ?? []
    const before = painter.journal.length
    const paint = async (): Promise<readonly number[]> => {
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'Paint a red rose.' }] })
      await (await fetch(`${door}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
      return [gemini.journal.length, painter.journal.length - before]
    }
    expect(await paint()).toEqual([1, 0])
    await runHere(home, ['config', 'set', 'image.backend', 'openai'], { environment })
    expect(await paint()).toEqual([1, 1])
    const { out } = await runHere(home, ['usage', '--by', 'model'])
    expect(out).toMatch(/^gemini\/gemini-3\.1-flash-image +1 +4 +0 +1,150 .*\$0\.069/m)
    expect(out).toMatch(/^openai\/gpt-image-2 +1 +10 +0 +1,056 .*\$0\.032/m)
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
}, 90_000)

test('a tool of pictures is there where something can do it', async () => {
  const tools = async (environment: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await runHere(home, ['tools'], { environment })).out
  expect(await tools()).toMatch(/^images {2}no image backend is ready, and no model is chosen that may see$/m)
  expect((await runHere(home, ['chat', '-z', 'call vision_analyze {"path": "x.png"}'])).out).toContain('There is no tool "vision_analyze"')
  configure('may-see')
  expect(await tools({ OPENAI_API_KEY: 'k' })).toMatch(/image_generate +Paint a picture.*vision_analyze +Look at/s)
  await runHere(home, ['config', 'set', 'image.backend', 'nothing'])
  expect(await runHere(home, ['doctor'])).toMatchObject({ out: expect.stringContaining('image.backend') })
})

test('what the page about pictures says works', async () => {
  configure('gpt-oss-20b', { auxiliary: { vision: { base_url: models.url } } })
  const blocks = [...readText('host/docs/pictures.md').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const [see = '', key = '', paint = ''] = blocks.map(([, , text = '']) => text)
  home.write('.env', key.replace('…', 'right-key'))
  for (const line of [...see.trim().split('\n'), ...paint.trim().split('\n')]) {
    const words = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
    expect(await runHere(home, words.slice(1)), line).toMatchObject({ code: 0 })
  }
  expect((await runHere(home, ['config', 'get', 'auxiliary', '--json'])).out).toMatch(/"provider": "anthropic"/)
  expect(painter.journal.at(-1)?.url).toBe('/v1/images/generations')
})
