import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeConfig, type EditTarget, setConfigValue, unsetConfigValue } from './edit.ts'
import { openHome } from './home/home.ts'
import { loadConfig } from './load.ts'
import { valueAt } from './schema/merge.ts'

let target: EditTarget
beforeEach(() => {
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'edit-')) } })
  target = { home, processEnvironment: {} }
})
afterEach(() => rmSync(target.home.path, { recursive: true, force: true }))

const read = (): string => readFileSync(target.home.files.config, 'utf8')
const write = (text: string): void => writeFileSync(target.home.files.config, text)

test('the first set makes a file of the current version for its owner alone', () => {
  setConfigValue(target, 'display.interface', 'tui')
  expect(read()).toBe('_config_version: 26\ndisplay:\n  interface: tui\n')
  expect(statSync(target.home.files.config).mode & 0o777).toBe(0o600)
  expect(readdirSync(target.home.path)).toEqual(['config.yaml'])
})

test('comments, order and quotes stay', () => {
  write(
    '# my settings\n_config_version: 26\n\ndisplay: # how it looks\n  interface: "cli" # classic\n  # later\n  theme_mode: dark\napprovals: {deny: ["a b"]}\n',
  )
  setConfigValue(target, 'display.interface', 'tui')
  setConfigValue(target, 'approvals.deny', '[rm *, dd]')
  setConfigValue(target, 'agent.max_turns', '12')
  expect(read()).toBe(
    '# my settings\n_config_version: 26\n\ndisplay:\n  # how it looks\n  interface: "tui" # classic\n  # later\n  theme_mode: dark\napprovals: { deny: [ rm *, dd ] }\nagent:\n  max_turns: 12\n',
  )
})

test('text stays text, other values are read as YAML', async () => {
  setConfigValue(target, 'model.default', '4.10')
  setConfigValue(target, 'model.provider', 'true')
  setConfigValue(target, 'session_reset.at_hour', '0')
  setConfigValue(target, 'platforms.sms.enabled', 'false')
  setConfigValue(target, 'platforms.sms.extra.nested.list', '[1, two]')
  const { config, problems } = await loadConfig(target.home, {})
  expect(problems).toEqual([])
  expect(config.model).toMatchObject({ default: '4.10', provider: 'true' })
  expect(config.session_reset.at_hour).toBe(0)
  expect(config.platforms.sms).toEqual({ enabled: false, extra: { nested: { list: [1, 'two'] } } })
})

test.each([
  ['display.interface', 'gui', 'must be one of cli, tui, not the text "gui"'],
  ['agent.max_turns', 'many', 'must be a number, not the text "many"'],
  ['gateway.http.port', '70000', 'at most 65535'],
  ['approvals', 'ask', 'must be a section'],
  ['platforms.irc', '{nick: x}', 'there is no such key (platforms.irc.nick)'],
  ['approvals.deny', '[open', 'is not a YAML value'],
])('a value that does not fit is refused and nothing is written: %s %s', (key, value, problem) => {
  write('# untouched\n')
  const refusal = { code: 'CONFIG_VALUE_INVALID', message: expect.stringContaining(problem) }
  expect(() => setConfigValue(target, key, value)).toThrow(expect.objectContaining(refusal))
  expect(read()).toBe('# untouched\n')
})

test.each([
  ['display.interfce', 'display.interface'],
  ['displya.interface', 'display.interface'],
  ['show_reasoning', 'display.show_reasoning'],
  ['security.website_blacklist', 'security.website_blocklist'],
])('an unknown key %s is refused with the nearest one', (key, nearest) => {
  const refusal = expect.objectContaining({
    code: 'CONFIG_KEY_UNKNOWN',
    message: expect.stringContaining(`There is no configuration key "${key}". Did you mean "${nearest}"?`),
  })
  expect(() => setConfigValue(target, key, 'x')).toThrow(refusal)
  expect(() => unsetConfigValue(target, key)).toThrow(refusal)
})

test('an old spelling of a key is written in the current one', () => {
  expect(setConfigValue(target, 'platforms.api_server.enabled', 'false').key).toBe('platforms.api-server.enabled')
  expect(setConfigValue(target, 'gateway.api_server.port', '9000').key).toBe('platforms.api-server.extra.port')
  expect(read()).toBe('_config_version: 26\nplatforms:\n  api-server:\n    enabled: false\n    extra:\n      port: 9000\n')
  expect(setConfigValue(target, 'signal.reply_prefix', 'Bot: ').key).toBe('platforms.signal.reply_prefix')
  expect(setConfigValue(target, 'platforms.signal.extra.reply_prefix', '> ').key).toBe('platforms.signal.reply_prefix')
  expect(unsetConfigValue(target, 'platforms.signal')).toBe(true)
  expect(unsetConfigValue(target, 'platforms.api_server')).toBe(true)
  expect(read()).toBe('_config_version: 26\n')
})

test.each([
  ['platforms.irc.reply_prefix', 'Bot: ', 'Bot: '],
  ['platforms.irc.reply_prefix', '# hello', '# hello'],
  ['platforms.irc.mention_patterns', '(?i)bot: ', '(?i)bot: '],
  ['platforms.irc.mention_patterns', '[one, two]', ['one', 'two']],
  ['platforms.irc.extra.topic', 'Bot: ', 'Bot: '],
  ['platforms.irc.extra.topic', '# hello', '# hello'],
  ['platforms.irc.extra.ca', '-----BEGIN X-----\nMIIB\nAA==\n-----END X-----\n', '-----BEGIN X-----\nMIIB\nAA==\n-----END X-----\n'],
  ['platforms.irc.extra.topic', '- a', '- a'],
  ['platforms.irc.extra.topic', '{a: 1}', { a: 1 }],
  ['platforms.irc.extra.port', '6667', 6667],
  ['platforms.irc.extra.name', '6667', '6667'],
])('the type of a setting decides how its words are read: %s %j', async (key, words, value) => {
  const schemaOf = (path: readonly string[]) => (path.at(-1) === 'name' ? { type: 'string' } : undefined)
  setConfigValue({ ...target, schemaOf }, key, words)
  const { config, problems } = await loadConfig(target.home, {})
  expect(problems).toEqual([])
  expect(valueAt(config, key.split('.'))).toEqual(value)
})

test.each(['', '# hello', 'null', '~'])('nothing is no value where a text is none: %j', (words) => {
  expect(() => setConfigValue(target, 'agent.max_turns', words)).toThrow('it is empty; agent config unset brings the default back')
})

test('byte order mark, line ends, long numbers, rights and a link stay', () => {
  const real = join(target.home.path, 'dotfiles.yaml')
  writeFileSync(
    real,
    '\uFEFF# mine\r\n_config_version: 26\r\ndisplay:\r\n  interface: cli # here\r\nplatforms:\r\n  irc:\r\n    extra: { room: 12345678901234567890, hex: 0x1F, rate: 1.50 }\r\n',
  )
  chmodSync(real, 0o640)
  symlinkSync(real, target.home.files.config)
  setConfigValue(target, 'display.interface', 'tui')
  expect(lstatSync(target.home.files.config).isSymbolicLink()).toBe(true)
  expect(read()).toBe(
    '\uFEFF# mine\r\n_config_version: 26\r\ndisplay:\r\n  interface: tui # here\r\nplatforms:\r\n  irc:\r\n    extra: { room: 12345678901234567890, hex: 0x1F, rate: 1.50 }\r\n',
  )
  expect(statSync(real).mode & 0o777).toBe(0o640)
  expect(readdirSync(target.home.path).sort()).toEqual(['config.yaml', 'dotfiles.yaml'])
})

test('several changes at once keep long numbers too', () => {
  write('_config_version: 26\nplatforms: { calm: { group_allow_from: [12345678901234567890] } }\n')
  changeConfig(target, { values: { 'plugins.entries.platform-post.enabled': true, 'platforms.post.enabled': true } })
  expect(read()).toContain('[ 12345678901234567890 ]')
  expect(read()).toContain('platform-post:\n      enabled: true\n')
  expect(read()).toContain('post: { enabled: true }')
})

test('a file in another encoding is not written', () => {
  for (const name of ['config', 'env'] as const) {
    const bytes = Buffer.from('# gr\xfc\xdfe\n', 'latin1')
    writeFileSync(target.home.files[name], bytes)
    expect(() => setConfigValue(target, 'model.api_key', 'sk-very-secret')).toThrow('are not UTF-8; save it as UTF-8')
    expect(readFileSync(target.home.files[name])).toEqual(bytes)
    rmSync(target.home.files[name])
  }
})

test('the version and odd names cannot be set', () => {
  for (const key of ['_config_version', '__proto__.x', 'platforms.__proto__', '', 'display.']) {
    expect(() => setConfigValue(target, key, '1'), key).toThrow('There is no configuration key')
  }
})

test('a secret goes to .env and leaves a reference', async () => {
  writeFileSync(target.home.files.env, '# keys\n')
  expect(setConfigValue(target, 'model.api_key', 'sk-very-secret').variable).toBe('MODEL_API_KEY')
  expect(setConfigValue(target, 'platforms.dingtalk.extra.client_secret', 'with space').variable).toBe('DINGTALK_CLIENT_SECRET')
  expect(read()).not.toContain('sk-very-secret')
  expect(readFileSync(target.home.files.env, 'utf8')).toBe("# keys\nMODEL_API_KEY=sk-very-secret\nDINGTALK_CLIENT_SECRET='with space'\n")
  const { config, problems } = await loadConfig(target.home, {})
  expect(problems).toEqual([])
  expect(config.model.api_key).toBe('sk-very-secret')
  expect(config.platforms.dingtalk?.extra).toEqual({ client_secret: 'with space' })
})

test('two keys with names that are nearly the same have a secret each', () => {
  const set = (name: string, TOKEN: string) =>
    changeConfig(target, { values: { [`mcp_servers.${name}`]: { command: 'x', env: { TOKEN } } } })
  const first = 'MCP_SERVERS_A_B_ENV_TOKEN'
  expect([set('a-b', 'one'), set('a_b', 'two'), set('a-b', 'three'), set('a_b', 'four')]).toEqual([
    [first],
    [`${first}_2`],
    [first],
    [`${first}_2`],
  ])
  expect(readFileSync(target.home.files.env, 'utf8')).toMatch(/TOKEN="?three"?\n.*TOKEN_2="?four"?\n/)
  expect(set('c', 'five')).toEqual(['MCP_SERVERS_C_ENV_TOKEN'])
})

test('a refused secret leaves .env alone', () => {
  write('model: 5\n')
  expect(() => setConfigValue(target, 'model.api_key', 'sk-very-secret')).toThrow('lies inside model')
  expect(readdirSync(target.home.path)).toEqual(['config.yaml'])
})

test('unset brings the default back and takes empty sections with it', () => {
  write('_config_version: 26\ndisplay:\n  interface: tui\nplatforms:\n  irc:\n    enabled: true\n  sms:\n    enabled: true\nwrong_key: 1\n')
  expect(unsetConfigValue(target, 'display.interface')).toBe(true)
  expect(unsetConfigValue(target, 'platforms.irc.enabled')).toBe(true)
  expect(unsetConfigValue(target, 'wrong_key')).toBe(true)
  expect(unsetConfigValue(target, 'agent.max_turns')).toBe(false)
  expect(read()).toBe('_config_version: 26\nplatforms:\n  sms:\n    enabled: true\n')
})

test('a broken file is never overwritten', () => {
  write('display: [open\n')
  expect(() => setConfigValue(target, 'display.interface', 'tui')).toThrow(':1:15 is not valid YAML')
  expect(() => unsetConfigValue(target, 'display.interface')).toThrow('is not valid YAML')
  expect(read()).toBe('display: [open\n')
})

test('a set writes the older file in the current spelling, with its comments', () => {
  write('_config_version: 25\nplatforms:\n  # the API\n  api_server: # here\n    enabled: true\nmodel: gpt-5\n')
  setConfigValue(target, 'model.provider', 'openai')
  expect(read()).toBe(
    '_config_version: 26\nplatforms:\n  # the API\n  api-server:\n    # here\n    enabled: true\nmodel:\n  default: gpt-5\n  provider: openai\n',
  )
})

test('a section that stands empty in the file takes its first key', () => {
  write('display:\nagent:\n  max_turns: 5\n')
  setConfigValue(target, 'display.theme_mode', 'dark')
  expect(read()).toContain('display:\n  theme_mode: dark')
})

test('a container that the program would not use is refused, and a folder in the way is said in words', () => {
  expect(() => setConfigValue(target, 'terminal.backend', 'docker')).toThrow('commands run on this machine only')
  expect(readdirSync(target.home.path)).toEqual([])
  const inTheWay = join(target.home.path, 'file')
  writeFileSync(inTheWay, '')
  expect(() => openHome({ environment: { AGENT_HOME: join(inTheWay, 'home') } })).toThrow('it lies below something that is no folder')
})
