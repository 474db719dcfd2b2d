// @module-tag server
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { RawConfig } from '../api.ts'

const secret = 'sk-written-in-the-file'
const text = `# mine\nmodel:\n  api_key: ${secret} # of ann\nagent:\n  max_turns: 7 # enough\n`
const open = (config = text, environment: Readonly<Record<string, string>> = {}) =>
  openTestDashboard({ environment, prepare: (home) => home.write('config.yaml', config) })
const put = (dashboard: TestDashboard, changes: object) => dashboard.ask('PUT', '/api/config', { body: { changes } })
const readRaw = async (dashboard: TestDashboard) => (await dashboard.ask('GET', '/api/config/raw')).body as unknown as RawConfig

proves('dashboard.config', 'settings are read and changed with their comments, and a secret goes to .env and into no answer', async () => {
  await using dashboard = await open(text, { TERMINAL_TIMEOUT: '9' })
  const read = await dashboard.ask('GET', '/api/config')
  expect(read.text).not.toContain(secret)
  expect(read.body).toMatchObject({
    values: { agent: { max_turns: 7 }, model: { api_key: '[secret]' } },
    shadowed: { 'terminal.timeout': 'TERMINAL_TIMEOUT' },
    schema: { properties: { agent: { type: 'object' } } },
  })
  expect(read.body.defaults).toHaveProperty('agent.max_turns')
  const entries = { mine: { config: { api_key: 'sk-in-an-entry', word: 'x' } } }
  const changes = { 'agent.max_turns': 8, 'model.api_key': 'sk-typed-in-the-form', 'plugins.entries': entries, 'terminal.timeout': 5 }
  const saved = await put(dashboard, changes)
  expect(saved).toMatchObject({ status: 200, body: { live: false } })
  expect(saved.body.said).toEqual(expect.arrayContaining(['agent.max_turns is set.', expect.stringContaining('TERMINAL_TIMEOUT')]))
  const written = dashboard.home.read('config.yaml')
  expect(written).toContain('# mine\n')
  expect(written).toContain('max_turns: 8 # enough\n')
  const references = { model: { api_key: `\${${'MODEL_API_KEY'}}` }, plugins: { entries: { mine: { config: { word: 'x' } } } } }
  expect(parse(written)).toMatchObject(references)
  expect(written).not.toMatch(/sk-typed|sk-in-an/)
  expect(dashboard.home.read('.env')).toContain('MODEL_API_KEY=sk-typed-in-the-form\n')
  expect(saved.text + (await dashboard.ask('GET', '/api/config')).text).not.toMatch(/sk-typed|sk-in-an/)
  await put(dashboard, { 'agent.max_turns': null })
  expect(parse(dashboard.home.read('config.yaml'))).not.toHaveProperty('agent')
})

test('a secret that comes back as it was shown stays what it is', async () => {
  await using dashboard = await open(`fallback_providers:\n  - { provider: mine, model: one, api_key: ${secret} }\n`)
  const { body } = await dashboard.ask('GET', '/api/config')
  const [shown] = (body.values as { fallback_providers: readonly object[] }).fallback_providers
  expect(shown).toMatchObject({ api_key: '[secret]' })
  await put(dashboard, { fallback_providers: [{ ...shown, model: 'two' }] })
  expect(dashboard.home.read('config.yaml') + dashboard.home.read('.env')).toContain(secret)
  expect(parse(dashboard.home.read('config.yaml'))).toMatchObject({ fallback_providers: [{ model: 'two' }] })
})

test('a change at fault is told beside its key, and nothing of the request is written', async () => {
  await using dashboard = await open()
  for (const [key, value] of [
    ['agent.max_turns', 'many'],
    ['agent.max_turn', 5],
    ['platforms.irc.extra.port', 'x'],
  ] as const) {
    const { status, body } = await put(dashboard, { 'display.theme_mode': 'dark', [key]: value, 'model.api_key': 'sk-new-key' })
    expect([key, status, body.error]).toMatchObject([key, 400, { fields: { [key]: expect.any(String) } }])
  }
  expect(dashboard.home.read('config.yaml')).toBe(text)
  expect(() => dashboard.home.read('.env')).toThrow()
})

proves('dashboard.config', 'the text is edited by its revision, and the secrets in it are neither shown nor lost', async () => {
  await using dashboard = await open()
  const raw = await readRaw(dashboard)
  expect(raw.text).not.toContain(secret)
  expect(raw.text).toContain('max_turns: 7 # enough')
  expect(raw.marks).toMatchObject([{ line: 3, key: 'model.api_key', level: 'warning' }])
  const save = (body: object) => dashboard.ask('PUT', '/api/config/raw', { body })
  const saved = await save({ text: raw.text.replace('7 #', '8 #'), revision: raw.revision })
  expect([saved.status, saved.text.includes(secret)]).toEqual([200, false])
  expect(dashboard.home.read('config.yaml')).toBe(text.replace('7 #', '8 #'))
  // Somebody else has written since.
  const late = await save({ text: raw.text, revision: raw.revision })
  expect([late.status, late.body.error]).toMatchObject([409, { code: 'HTTP_CHANGED' }])
  expect(dashboard.home.read('config.yaml')).toBe(text.replace('7 #', '8 #'))
})

test('a text at fault is answered with its marks and not written, and a broken file can be mended', async () => {
  await using dashboard = await open()
  const { revision } = await readRaw(dashboard)
  const faulty = [
    ['agent:\n  max_turns: many\n', 2, 'agent.max_turns'],
    ['agent: [\n', 1, 'the file'],
    ['platforms:\n  irc:\n    extra:\n      port: x\n', 4, 'platforms.irc.extra.port'],
    ['# <secret-0123456789abcdef>\n', 1, 'this line'],
  ] as const
  for (const [wrong, line, key] of faulty) {
    const { status, body } = await dashboard.ask('PUT', '/api/config/raw', { body: { text: wrong, revision } })
    expect([wrong, status, body.marks]).toMatchObject([wrong, 422, [{ key, level: 'error' }]])
    expect((body.marks as RawConfig['marks'])[0]?.line).toBeGreaterThanOrEqual(line)
  }
  expect(dashboard.home.read('config.yaml')).toBe(text)
  dashboard.home.write('config.yaml', `model: [\napi_key: ${secret}\n`)
  const broken = await readRaw(dashboard)
  expect([broken.text.includes(secret), broken.marks]).toMatchObject([false, [{ level: 'error' }]])
  const mended = await dashboard.ask('PUT', '/api/config/raw', { body: { text: 'agent:\n  max_turns: 3\n', revision: broken.revision } })
  expect([mended.status, dashboard.home.read('config.yaml')]).toEqual([200, 'agent:\n  max_turns: 3\n'])
})
