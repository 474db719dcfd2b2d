import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { variables } from './environment/variables.ts'
import { type Home, openHome } from './home/home.ts'
import { loadConfig, requireSound } from './load.ts'
import { defaultConfig } from './schema/defaults.ts'
import { configSchema } from './schema/schema.ts'

let home: Home
beforeEach(() => {
  home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'load-')) } })
})
afterEach(() => rmSync(home.path, { recursive: true, force: true }))

const referTo = (name: string): string => `\${${name}}`
const write = (...lines: string[]): void => writeFileSync(home.files.config, lines.join('\n'))
const load = (environment: Record<string, string> = {}) => loadConfig(home, environment)

test('without a file the defaults hold, and they fit their own schema', async () => {
  const loaded = await load()
  expect(loaded.config).toEqual(defaultConfig)
  expect(configSchema.parse(defaultConfig)).toEqual(defaultConfig)
  expect(loaded.config).not.toBe(defaultConfig)
  expect(loaded.problems).toEqual([])
  expect(loaded.sourceOf('display.interface')).toBe('default')
})

test('the file lies over the defaults; lists are replaced, a key without a value keeps its default, 0 is a value', async () => {
  write(
    'session_reset:',
    '  at_hour:',
    '  idle_minutes: null',
    'display: {interface: tui}',
    'approvals: {mode: off, deny: ["rm *"]}',
    'agent:',
  )
  const { config, problems, sourceOf } = await load()
  expect(problems).toMatchObject([{ key: 'display.interface', line: 4, level: 'warning', withoutEffect: true }])
  expect(config.session_reset).toEqual({ mode: 'both', at_hour: 4, idle_minutes: 1440 })
  expect(config.display).toEqual({ ...defaultConfig.display, interface: 'tui' })
  expect(config.approvals).toEqual({ mode: 'off', timeout: 300, deny: ['rm *'] })
  expect(sourceOf('display.interface')).toBe('file')
  expect(sourceOf('session_reset.at_hour')).toBe('default')
  write('session_reset: {at_hour: 0}')
  expect((await load()).config.session_reset.at_hour).toBe(0)
})

test('wrong types and unknown keys are named with file, line, key and the nearest valid one; the rest holds', async () => {
  write(
    'display:',
    '  show_reasoning: "yes"',
    '  interfce: tui',
    '  busy_input_mode: queue',
    'show_reasoning: true',
    'agent:',
    '  max_turns: 1.5',
    '  api_timeout: 0',
    'approvals:',
    '  mode: always',
    '  deny: [one, 2]',
    'terminal: 5',
    '__proto__: {polluted: true}',
  )
  const { config, problems } = await load()
  expect(problems.map(({ line, key, problem }) => `${line} ${key} ${problem}`)).toEqual([
    '2 display.show_reasoning must be true or false, not the text "yes"',
    '3 display.interfce there is no such key; did you mean display.interface?',
    '5 show_reasoning there is no such key; did you mean display.show_reasoning?',
    '7 agent.max_turns must be a whole number, not 1.5',
    '8 agent.api_timeout must be at least 1, not 0',
    '10 approvals.mode must be one of ask, smart, off, not the text "always"',
    '11 approvals.deny.1 must be text, not 2',
    '12 terminal must be a section of keys and values, not 5',
    '13 __proto__ there is no such key',
  ])
  expect(problems.every((problem) => problem.file === home.files.config && problem.level === 'error')).toBe(true)
  expect(problems[1]?.nearest).toBe('display.interface')
  expect(config).toEqual({ ...defaultConfig, display: { ...defaultConfig.display, busy_input_mode: 'queue' } })
  expect('polluted' in {}).toBe(false)
  expect(() => requireSound({ problems })).toThrow(`${home.files.config}:2: display.show_reasoning: must be true or false`)
})

test('a bad block of one plugin or platform turns off that one only', async () => {
  write(
    'platforms:',
    '  irc: {enabled: true, channel: "#a"}',
    '  sms: {enabled: true, extra: {anything: [1, {deep: true}]}}',
    'plugins:',
    '  entries:',
    '    toolset-files: {isolation: thread}',
    '    toolset-todo: {enabled: false, config: {free: form}}',
  )
  const loaded = await load()
  expect(loaded.problems).toMatchObject([
    { line: 2, key: 'platforms.irc.channel', platform: 'irc' },
    { line: 6, key: 'plugins.entries.toolset-files.isolation', plugin: 'toolset-files' },
  ])
  expect(loaded.config.platforms).toEqual({ irc: { enabled: false }, sms: { enabled: true, extra: { anything: [1, { deep: true }] } } })
  expect(loaded.config.plugins.entries['toolset-files']).toEqual({ enabled: false })
  expect(loaded.config.plugins.entries['toolset-todo']).toEqual({ enabled: false, config: { free: 'form' } })
  expect(() => requireSound(loaded)).not.toThrow()
})

test.each([
  ['a: [1, 2', 1],
  ['a: 1\nb: "open\n', 2],
  ['a: 1\n\ta: 2', 2],
  ['a: 1\nb: 2\na: 3\n', 3],
  ['a: *nowhere', 1],
])('a broken file is refused with its line and left alone: %j', async (text, line) => {
  writeFileSync(home.files.config, text)
  await expect(load()).rejects.toMatchObject({ code: 'CONFIG_BROKEN', params: { file: home.files.config, line } })
  expect(readFileSync(home.files.config, 'utf8')).toBe(text)
  const loaded = await loadConfig(home, {}, { ignoreUserConfig: true })
  expect(loaded.config).toEqual(defaultConfig)
})

test('a file that is a list, an alias bomb or a folder is refused', async () => {
  write('- one')
  await expect(load()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  const nine = (letter: string): string => Array(9).fill(`*${letter}`).join(', ')
  write('a: &a [x, x]', ...[...'bcdefgh'].map((letter, index) => `${letter}: &${letter} [${nine('abcdefgh'[index] ?? '')}]`))
  await expect(load()).rejects.toMatchObject({ code: 'CONFIG_BROKEN' })
  rmSync(home.files.config)
  mkdirSync(home.files.config)
  await expect(load()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('a file of a newer program is refused, an older one is read', async () => {
  write('_config_version: 27', 'display: {interface: tui}')
  await expect(load()).rejects.toMatchObject({ code: 'CONFIG_TOO_NEW', params: { found: 27, known: 26 } })
  write('_config_version: 25', 'model: gpt-5', 'approvals: {mode: manual}')
  const { config, migrated, problems } = await load()
  expect(problems).toEqual([])
  expect(migrated).toBe(true)
  expect(config).toMatchObject({ _config_version: 26, model: { default: 'gpt-5', provider: '' }, approvals: { mode: 'ask' } })
})

test('old spellings are read in a file of any version, and their lines stay right', async () => {
  write(
    '_config_version: 26',
    'platforms:',
    '  api_server: {enabled: true}',
    '  homeassistant:',
    '    extra: {watch_all: true}',
    '    wrong: 1',
    'gateway:',
    '  api_server: {port: 9000}',
  )
  const { config, problems, migrated } = await load()
  expect(migrated).toBe(true)
  expect(config.platforms['api-server']).toEqual({ enabled: true, extra: { port: 9000 } })
  expect(problems).toMatchObject([{ line: 6, key: 'platforms.home-assistant.wrong', platform: 'home-assistant' }])
})

test('the header of a messenger has three places, and the first of them wins', async () => {
  write(
    'signal: {reply_prefix: "own: "}',
    'platforms:',
    '  slack: {extra: {reply_prefix: ""}}',
    '  irc: {reply_prefix: "a", extra: {reply_prefix: "b"}}',
  )
  const { config, problems } = await load()
  expect(problems).toEqual([])
  expect(config.platforms).toEqual({
    signal: { reply_prefix: 'own: ' },
    slack: { reply_prefix: '' },
    irc: { reply_prefix: 'a', extra: { reply_prefix: 'b' } },
  })
  write('home_assistnt: {reply_prefix: x, other: 1}')
  expect((await load()).problems).toMatchObject([{ line: 1, key: 'home_assistnt' }])
})

test('no complaint quotes what comes from a variable, or what may be a key', async () => {
  const key = 'sk-live-0123456789abcdef'
  writeFileSync(home.files.env, `MODEL_API_KEY=hunter2\nOTHER=wrong\nAGENT_MAX_ITERATIONS=${key}\n`)
  write(
    `approvals: {mode: "${referTo('MODEL_API_KEY')}"}`,
    `agent: {max_turns: "${referTo('OTHER')}"}`,
    `display: {interface: ${key}}`,
    'hunter2: 1',
    'model: {base_url: "http://me:pass-word@host"}',
  )
  const loaded = await load()
  expect(loaded.problems.map(({ key: name, problem }) => `${name} ${problem}`).filter((one) => !one.startsWith('its rights'))).toEqual([
    'approvals.mode must be one of ask, smart, off, not the value of MODEL_API_KEY',
    'agent.max_turns must be a number, not the value of OTHER',
    'display.interface must be one of cli, tui, not a text of 24 characters',
    expect.stringMatching(/^\[secret\] there is no such key/),
    'AGENT_MAX_ITERATIONS must be a whole number above 0, not a text of 24 characters',
  ])
  expect(loaded.environment.secrets()).toContain('pass-word')
})

test('secrets that others can read are said', async () => {
  writeFileSync(home.files.env, 'A=1\n', { mode: 0o644 })
  expect((await load()).problems).toEqual([])
  chmodSync(home.path, 0o755)
  expect((await load()).problems).toMatchObject([{ file: home.files.env, key: 'its rights', level: 'warning' }])
  chmodSync(home.files.env, 0o600)
  expect((await load()).problems).toEqual([])
})

test('where both spellings stand, the current one wins and takes what it lacks', async () => {
  write('platforms:', '  api-server: {enabled: false}', '  api_server: {enabled: true, home_channel: here}')
  const { config } = await load()
  expect(config.platforms).toEqual({ 'api-server': { enabled: false, home_channel: 'here' }, api_server: { enabled: true } })
  write('platforms:', '  api-server: {enabled: false}', '  api_server: {home_channel: here}')
  expect((await load()).config.platforms).toEqual({ 'api-server': { enabled: false, home_channel: 'here' } })
})

test('the process beats .env beats the file, and says so', async () => {
  write('agent: {max_turns: 10, api_timeout: 20}', 'terminal: {timeout: 30}', 'model: {provider: openai}')
  writeFileSync(home.files.env, 'AGENT_API_TIMEOUT=200\nAGENT_MAX_ITERATIONS=100\n')
  const { config, sourceOf, overriddenBy } = await load({
    AGENT_MAX_ITERATIONS: '7',
    AGENT_INFERENCE_PROVIDER: 'anthropic',
    AGENT_TUI: '1',
  })
  expect(config.agent).toMatchObject({ max_turns: 7, api_timeout: 200 })
  expect(config.display.interface).toBe('tui')
  expect([sourceOf('agent.max_turns'), sourceOf('agent.api_timeout'), sourceOf('terminal.timeout')]).toEqual([
    'environment',
    'env-file',
    'file',
  ])
  expect(config.model.provider).toBe('openai')
  expect(overriddenBy('model.provider')).toEqual({ name: 'AGENT_INFERENCE_PROVIDER', source: 'environment' })
})

test('the variable for the people of a platform shadows the list in the file, whatever the platform', async () => {
  write('platforms: {some-chat: {allow_from: [anna], unauthorized_dm_behavior: pair}}', 'unauthorized_dm_behavior: ignore')
  const { config, problems, sourceOf } = await load()
  expect([problems, sourceOf('platforms.some-chat.allow_from')]).toEqual([[], 'file'])
  expect(config.platforms['some-chat']).toEqual({ allow_from: ['anna'], unauthorized_dm_behavior: 'pair' })
  expect(config.unauthorized_dm_behavior).toBe('ignore')
  const { overriddenBy } = await load({ SOME_CHAT_ALLOWED_USERS: 'bert' })
  expect(overriddenBy('platforms.some-chat.allow_from')).toEqual({ name: 'SOME_CHAT_ALLOWED_USERS', source: 'environment' })
  expect(overriddenBy('platforms.other.allow_from')).toBeUndefined()
  expect(overriddenBy('platforms.some-chat.enabled')).toBeUndefined()
})

test('a variable that does not fit is named and not used', async () => {
  writeFileSync(home.files.env, '# mine\nAGENT_API_TIMEOUT=soon\nnonsense\n')
  const { config, problems } = await load({ AGENT_BACKGROUND_NOTIFICATIONS: 'some', AGENT_TUI: '0', TERMINAL_PERSISTENT_SHELL: 'maybe' })
  expect(config).toEqual(defaultConfig)
  expect(problems.map(({ file, line, key }) => [file, line, key])).toEqual([
    [home.files.env, 3, 'this line'],
    [home.files.env, 2, 'AGENT_API_TIMEOUT'],
    ['environment', 0, 'AGENT_BACKGROUND_NOTIFICATIONS'],
    ['environment', 0, 'TERMINAL_PERSISTENT_SHELL'],
  ])
})

test('a reference takes the value of a variable; a missing one is a problem of its key', async () => {
  const refer = (name: string): string => `\${${name}}`
  write('model:', `  api_key: ${refer('MY_SECRET')}`, `  base_url: "https://${refer('HOST_PART')}/v1"`, `  default: ${refer('MISSING')}`)
  writeFileSync(home.files.env, 'MY_SECRET=sk-from-file\nHOST_PART=models.example\n')
  const { config, problems, environment } = await load()
  expect(config.model).toEqual({ provider: '', default: '', base_url: 'https://models.example/v1', api_key: 'sk-from-file' })
  expect(problems).toMatchObject([{ line: 4, key: 'model.default', problem: 'refers to MISSING, which is not set' }])
  expect(environment.secrets()).toContain('sk-from-file')
  expect(environment.secrets()).not.toContain('models.example')
})

test('a secret in the file works, is masked and is warned about', async () => {
  write('platforms:', '  teams:', '    extra:', '      client_secret: very-hidden')
  const { config, problems, environment } = await load()
  expect(config.platforms.teams?.extra).toEqual({ client_secret: 'very-hidden' })
  expect(problems).toMatchObject([{ level: 'warning', line: 4, key: 'platforms.teams.extra.client_secret' }])
  expect(environment.secrets()).toContain('very-hidden')
  expect(() => requireSound({ problems })).not.toThrow()
})

test('every key that a variable shadows exists', async () => {
  const { openKeys } = await import('./schema/keys.ts')
  const keys = openKeys()
  for (const { key } of variables) if (key !== undefined) expect(keys.knows(key.split('.')), key).toBe(true)
})
