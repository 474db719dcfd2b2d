import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './config.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'config-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (words: string[], environment: Record<string, string> = {}) =>
  runCommand(command, words, { environment: { AGENT_HOME: home, ...environment } })
const write = (text: string): void => writeFileSync(join(home, 'config.yaml'), text)

test('get tells the value and where it comes from', async () => {
  write('display: {interface: tui}\n')
  expect((await run(['get', 'display.interface'])).out).toBe('tui  (config.yaml)\n')
  expect((await run(['get', 'model.provider'])).out).toBe('""  (default)\n')
  expect((await run(['get', 'session_reset'])).out).toBe('{"mode":"both","at_hour":4,"idle_minutes":1440}  (default)\n')
  expect((await run(['get', 'platforms.api_server', '--json'])).out).toContain('"key": "platforms.api-server"')
  expect((await run(['get', 'platforms.irc.enabled'])).out).toBe('(not set)  (default)\n')
  expect(JSON.parse((await run(['get', 'display.interface', '--json'])).out)).toEqual({
    key: 'display.interface',
    value: 'tui',
    source: 'file',
  })
})

test('get says what is shadowed by environment, and by which variable', async () => {
  write('agent: {max_turns: 5}\nmodel: {provider: openai}\n')
  writeFileSync(join(home, '.env'), 'AGENT_API_TIMEOUT=60\n')
  const environment = { AGENT_MAX_ITERATIONS: '7', AGENT_INFERENCE_PROVIDER: 'anthropic' }
  expect((await run(['get', 'agent.max_turns'], environment)).out).toBe('7  (shadowed by environment: AGENT_MAX_ITERATIONS)\n')
  expect((await run(['get', 'model.provider'], environment)).out).toBe('anthropic  (shadowed by environment: AGENT_INFERENCE_PROVIDER)\n')
  expect((await run(['get', 'agent.api_timeout'])).out).toBe('60  (shadowed by environment: AGENT_API_TIMEOUT in .env)\n')
  expect((await run(['set', 'agent.max_turns', '9'], environment)).note).toContain('shadowed by environment: AGENT_MAX_ITERATIONS')
})

test('no secret is shown, wherever it comes from', async () => {
  write(
    'model: {api_key: sk-0123456789abcdef, base_url: "http://sk-0123456789abcdef@host"}\nplatforms: {teams: {extra: {client_secret: veiled, name: shown}}}\n',
  )
  const environment = { API_SERVER_KEY: 'bearer-0123456789' }
  const all = [['get'], ['get', '--json'], ['get', 'model'], ['get', 'platforms.teams'], ['get', 'platforms.api-server.extra.key']]
  const shown = (await Promise.all(all.map((words) => run(words, environment)))).map((ran) => ran.out).join('')
  expect(shown).not.toMatch(/0123456789|veiled/)
  expect(shown).toContain('sk-…def')
  expect(shown).toContain('shown')
  expect((await run(['get', 'model.api_key'])).out).toBe('sk-…def  (config.yaml, should be in .env)\n')
})

test('without a key get lists every setting', async () => {
  const { out } = await run(['get'])
  expect(out).toMatch(/^approvals\.mode +ask +default$/m)
  expect(out).toMatch(/^store\.durability +full +default$/m)
  expect((await run([])).out).toBe(out)
})

test('set changes the file and unset brings the default back', async () => {
  expect(await run(['set', 'display.interface', 'tui'])).toMatchObject({
    code: 0,
    out: `display.interface is set in ${join(home, 'config.yaml')}.\n`,
  })
  expect((await run(['get', 'display.interface'])).out).toContain('tui')
  expect((await run(['unset', 'display.interface'])).out).toBe('display.interface is back to its default.\n')
  expect((await run(['unset', 'display.interface'])).out).toBe('display.interface was not set.\n')
})

test('a secret is said to be in .env', async () => {
  const { out } = await run(['set', 'model.api_key', 'sk-0123456789abcdef'])
  expect(out).toBe(`model.api_key is stored as MODEL_API_KEY in ${join(home, '.env')}; ${join(home, 'config.yaml')} refers to it.\n`)
  expect((await run(['get', 'model.api_key'])).out).toBe('sk-…def  (config.yaml)\n')
})

test.each([
  [['get', 'display.interfce'], 1, 'Did you mean "display.interface"?'],
  [['set', 'display.interfce', 'tui'], 1, 'Did you mean "display.interface"?'],
  [['set', 'display.interface', 'gui'], 1, 'display.interface was not changed: it must be one of cli, tui, not the text "gui".'],
  [['set', 'display.interface'], 2, "Missing required argument 'value'. Try: agent config set --help"],
  [
    ['set', 'platforms.irc.extra.ca', '-----BEGIN CERTIFICATE-----\nMII'],
    2,
    'A value that begins with - was taken for an option; it stands behind --. Try: agent config set -- KEY VALUE',
  ],
  [['get', '--yaml'], 2, "Unknown option '--yaml'"],
])('a wrong call is refused in one sentence: %j', async (words, code, sentence) => {
  const ran = await run(words)
  expect(ran.code).toBe(code)
  expect(ran.note).toContain(sentence)
  expect(ran.out).toBe('')
})

test('check lists every problem with its line and fails when there is one', async () => {
  const file = join(home, 'config.yaml')
  expect(await run(['check'])).toEqual({ code: 0, out: `${file} is in order.\n`, note: '' })
  write('display:\n  interfce: tui\nplatforms:\n  irc: 5\nmodel: {api_key: sk-0123456789}\n')
  const ran = await run(['check'])
  expect(ran.code).toBe(1)
  expect(ran.out.split('\n')).toEqual([
    `${file}:2: error: display.interfce: there is no such key; did you mean display.interface?`,
    `${file}:4: error: platforms.irc: must be a section of keys and values, not 5. Only irc is blocked by it.`,
    `${file}:5: warning: model.api_key: is a secret; agent config set model.api_key moves it to .env.`,
    '',
  ])
  write('model: {api_key: sk-0123456789}\n')
  expect((await run(['check'])).code).toBe(0)
})

test.each([
  ['display: [open\n', ':1: error: the file: is not valid YAML at column 15'],
  ['_config_version: 99\n', 'has _config_version 99'],
  ['- list\n', ':1: error: the file: must be a list of keys and values'],
])('check reports a file that cannot be read: %j', async (text, line) => {
  write(text)
  const ran = await run(['check'])
  expect(ran.code).toBe(1)
  expect(ran.out).toContain(line)
  expect(JSON.parse((await run(['check', '--json'])).out).problems).toHaveLength(1)
  expect((await run(['set', 'display.interface', 'tui'])).code).toBe(1)
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(text)
})

test('path and schema', async () => {
  expect((await run(['path'])).out).toBe(`${join(home, 'config.yaml')}\n`)
  const schema = JSON.parse((await run(['schema'])).out)
  expect(schema.properties.display.properties.interface.enum).toEqual(['cli', 'tui'])
  expect(schema.additionalProperties).toBe(false)
})
