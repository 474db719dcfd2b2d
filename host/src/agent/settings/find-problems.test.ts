import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { loadHomeCatalog } from '../home-catalog.ts'
import { findProblems } from './find-problems.ts'

const plugin = {
  manifestVersion: 1,
  id: 'platform-calm',
  name: 'Calm',
  description: 'A platform.',
  version: '1.0.0',
  license: 'MIT',
  api: { platform: 1 },
  contributes: {
    platforms: [
      {
        ...{ id: 'calm', entry: 'dist/calm.js', label: 'Calm', door: 'messaging', reach: 'people', capabilities: {} },
        ...{
          limits: { maxLength: 100, unit: 'utf16' },
          markup: 'plain',
          homeEnv: 'CALM_ROOM',
          env: ['CALM_TOKEN', 'CALM_PORT', 'CALM_MODE'],
        },
        configSchema: {
          type: 'object',
          properties: { rooms: { type: 'array', items: { type: 'string' } }, mood: { type: 'string', enum: ['good', 'bad'] } },
          additionalProperties: false,
        },
      },
    ],
  },
  // Named once more, without its form.
  permissions: { env: { value: ['CALM_PORT'], reason: 'A library reads it.' } },
  env: [
    { name: 'CALM_TOKEN', secret: true, required: true, prompt: 'Token' },
    { name: 'CALM_PORT', secret: false, required: false, value: 'port', prompt: 'Port' },
    { name: 'CALM_TLS', secret: false, required: false, value: 'switch', prompt: 'Encrypt' },
    { name: 'CALM_URL', secret: false, required: false, value: 'address', prompt: 'Address' },
    { name: 'CALM_MODE', secret: false, required: false, value: ['fast', 'slow'], prompt: 'Mode' },
    { name: 'CALM_PAUSE', secret: true, required: false, value: 'number', prompt: 'Pause' },
  ],
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'problems-'))
  mkdirSync(join(folder, 'plugins', 'platforms', 'calm', 'dist'), { recursive: true })
  mkdirSync(join(folder, 'home'), { mode: 0o700 })
  writeFileSync(join(folder, 'plugins', 'platforms', 'calm', 'agent.plugin.json'), JSON.stringify(plugin))
  cpSync(import.meta.filename, join(folder, 'plugins', 'platforms', 'calm', 'dist', 'calm.js'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function find(files: { readonly config?: string; readonly env?: string }, environment: Readonly<Record<string, string>> = {}) {
  const home = openHome({ environment: { AGENT_HOME: join(folder, 'home'), ...environment } })
  writeFileSync(home.files.config, files.config ?? '')
  writeFileSync(home.files.env, files.env ?? '', { mode: 0o600 })
  const loaded = await loadConfig(home, environment)
  const catalog = await loadHomeCatalog({ installRoot: folder, home, loaded, quarantine: { get: async () => undefined } })
  const found = await findProblems(loaded, catalog, ['help', 'status', 'background'])
  return found.map(({ file, line, key, problem, level, platform }) => {
    const whose = platform === undefined ? '' : ` [${platform}]`
    return `${file.split('/').at(-1)}:${line} ${level}${whose} ${key} ${problem}`
  })
}

test('variables of a plugin hold what its manifest says, and only those that are no secret are quoted', async () => {
  const env = 'CALM_PORT=0\nCALM_TLS=perhaps\nCALM_URL=example.org\nCALM_MODE=medium\nCALM_PAUSE=long\nCALM_ALLOW_ALL_USERS=yess\n'
  expect(await find({ env })).toEqual([
    '.env:1 error CALM_PORT must be a number from 1 to 65535, not "0"',
    '.env:2 error CALM_TLS must be true or false, not "perhaps"',
    '.env:3 error CALM_URL must be an address that begins with http:// or https://, not "example.org"',
    '.env:4 error CALM_MODE must be one of fast, slow, not "medium"',
    '.env:5 error CALM_PAUSE must be a number',
    '.env:6 error CALM_ALLOW_ALL_USERS must be true or false, not "yess"',
  ])
  expect(
    await find({
      env: 'CALM_PORT=80\nCALM_TLS=On\nCALM_URL=https://a\nCALM_MODE=Fast\nCALM_PAUSE=1.5\nCALM_ROOM=1\nCALM_TOKEN=\nCALM_REQUIRE_MENTION=true\n',
    }),
  ).toEqual([])
})

test('a name that nothing reads is told where it stands in .env, and in the process where it is nearly one of ours', async () => {
  const config = 'web: {backend: "$' + '{MINE}"}\n'
  expect(await find({ env: 'CALM_TOKN=abc\nMINE=\nelse=1\nCALM_PORT=1\nCALM_PORT=2\n' })).toEqual([
    '.env:1 warning CALM_TOKN has no effect: nothing reads it; did you mean CALM_TOKEN?',
    '.env:3 warning else has no effect: nothing reads it',
    '.env:5 warning CALM_PORT stands here a second time; this line counts',
  ])
  expect(await find({}, { CALM_TOKN: 'abc', OTHER: '1', SHLVL: '1', CALM_ROOMS_OF_MINE: 'x' })).toEqual([
    'environment:0 warning CALM_TOKN has no effect: nothing reads it; did you mean CALM_TOKEN?',
  ])
  expect(await find({}, { AGENT_MAX_ITERATION: '5' })).toEqual([
    'environment:0 warning AGENT_MAX_ITERATION has no effect: nothing reads it; did you mean AGENT_MAX_ITERATIONS?',
  ])
  // Short names, those of another length and those that begin otherwise are somebody else's.
  expect(await find({}, { CALM_TO: 'a', CALM_TL: 'a', AGENT_MAX: '5', XALM_TOKEN: 'a', GENT_MAX_ITERATIONS: '5' })).toEqual([])
  expect(await find({}, { calm_tokn: 'abc' })).toEqual([
    'environment:0 warning calm_tokn has no effect: nothing reads it; did you mean CALM_TOKEN?',
  ])
  expect((await find({ config, env: 'MINE=x\n' })).some((one) => one.includes(' MINE '))).toBe(false)
  expect(await find({}, { AGENT_DASHBOARD_TUI: '1' })).toEqual([
    'environment:0 warning AGENT_DASHBOARD_TUI has no effect: the dashboard always has its chat',
  ])
})

test('the variables of a provider are known, and its address is one; a plugin without an own room has no variable for it', async () => {
  const add = (id: string, manifest: object): void => {
    mkdirSync(join(folder, 'plugins', 'platforms', id, 'dist'), { recursive: true })
    writeFileSync(
      join(folder, 'plugins', 'platforms', id, 'agent.plugin.json'),
      JSON.stringify({ ...plugin, env: [], permissions: {}, id, ...manifest }),
    )
    cpSync(import.meta.filename, join(folder, 'plugins', 'platforms', id, 'dist', 'calm.js'))
  }
  const { homeEnv: _, ...roomless } = plugin.contributes.platforms[0] ?? {}
  add('platform-bare', { contributes: { platforms: [{ ...roomless, id: 'bare', env: [], envPrefix: 'BARE_BOT' }] } })
  const own = {
    id: 'calm',
    label: 'Calm',
    auth: 'api-key',
    protocol: 'openai-chat',
    baseUrl: 'https://a',
    keyEnv: ['CALM_KEY'],
    baseUrlEnv: 'CALM_BASE',
  }
  const { baseUrlEnv: __, ...fixed } = own
  add('provider-calm', { api: { provider: 1 }, contributes: { providers: [own, { ...fixed, id: 'fixed', keyEnv: ['FIXED_KEY'] }] } })
  expect(
    await find({ env: 'CALM_KEY=x\nFIXED_KEY=x\nCALM_BASE=calm\nStryker=1\nBARE_BOT_ALLOW_ALL_USERS=perhaps\nCALM_ROOMM=1\n' }),
  ).toEqual([
    '.env:3 error CALM_BASE must be an address that begins with http:// or https://, not "calm"',
    '.env:4 warning Stryker has no effect: nothing reads it',
    '.env:5 error BARE_BOT_ALLOW_ALL_USERS must be true or false, not "perhaps"',
    '.env:6 warning CALM_ROOMM has no effect: nothing reads it; did you mean CALM_ROOM?',
  ])
})

test('settings of a platform that is off are checked as well, each that is wrong with its line', async () => {
  const config = 'platforms:\n  calm:\n    enabled: false\n    extra:\n      rooms: many\n      room: [a]\n      mood: odd\n'
  expect(await find({ config })).toEqual([
    'config.yaml:5 error platforms.calm.extra.rooms must be an array, not a string',
    'config.yaml:6 error platforms.calm.extra.room is not known here; did you mean rooms?',
    'config.yaml:7 error platforms.calm.extra.mood must be one of "good", "bad"',
  ])
})

test('names that belong to nothing are told with their line, those of platform settings and lists too', async () => {
  const config =
    'plugins:\n  deny:\n    - platform-calm\n    - clam\nmodel:\n  provider: clam\nweb: {backend: x}\nplatforms:\n  calm: {toolsets: [files, more]}\n'
  expect((await find({ config })).map((one) => one.split(' has')[0])).toEqual([
    'config.yaml:4 warning plugins.deny',
    'config.yaml:6 warning model.provider',
    'config.yaml:7 warning web.backend',
    'config.yaml:9 warning platforms.calm.toolsets',
    'config.yaml:9 warning platforms.calm.toolsets',
  ])
})

test('a gate by which nobody gets in, because its plugin does not run, is told', async () => {
  const office = join(folder, 'home', 'plugins', 'local', 'gate-office')
  mkdirSync(join(office, 'dist'), { recursive: true })
  const contributes = { gates: [{ id: 'office', entry: 'dist/gate.js', label: 'Office', way: 'password' }] }
  const manifest = { ...plugin, id: 'gate-office', api: { gate: 1 }, contributes, env: [], permissions: {} }
  writeFileSync(join(office, 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(office, 'dist', 'gate.js'), '')
  const config = 'dashboard:\n  gates:\n    - gate-office:office\n'
  const why = 'has no effect: gate-office:office does not run; agent plugins why gate-office says why'
  expect(await find({ config })).toEqual([`config.yaml:3 warning dashboard.gates ${why}`])
  expect(await find({ config: `${config}plugins: { entries: { gate-office: { enabled: true } } }\n` })).toEqual([])
})

test('what is wrong twice with one line is told once, but an error beside a warning', async () => {
  const again = 'stands here a second time; this line counts'
  expect(await find({ env: 'else=1\nelse=2\n' })).toEqual([`.env:2 warning else ${again}`])
  expect(await find({ env: 'CALM_PORT=1\nCALM_PORT=x\n' })).toEqual([
    `.env:2 warning CALM_PORT ${again}`,
    '.env:2 error CALM_PORT must be a number from 1 to 65535, not "x"',
  ])
})

test('the address of the model is one, and is not quoted', async () => {
  expect(await find({ config: 'model:\n  base_url: htp://secret@host\n' })).toEqual([
    'config.yaml:2 error model.base_url must be an address that begins with http:// or https://',
  ])
  expect(await find({ config: 'model:\n  base_url: HTTP://host/v1\n' })).toEqual([])
  expect(await find({ config: 'model:\n  base_url: http://me:secret@host/v1\n' })).toEqual([
    'config.yaml:2 warning model.base_url has a user name or a password in it, which no request carries; use model.api_key',
  ])
})

test('what the settings of a platform say against each other is told at its line, variables included', async () => {
  const config = 'platforms:\n  calm:\n    allow_from: [ann]\n    dm_policy: open\n'
  expect(await find({ config, env: '\nCALM_REQUIRE_MENTION=perhaps\n' })).toEqual([
    expect.stringMatching(/^\.env:2 warning CALM_REQUIRE_MENTION must be .*; it is not used$/),
    'config.yaml:4 error [calm] platforms.calm.dm_policy is open, which needs "*" in allow_from',
  ])
})

test('settings that another one makes idle, or that name what cannot be, are told with the nearest name', async () => {
  expect(await find({ config: "terminal: {sandbox: 'off', network: 'off', writable: [~/x], hidden: []}\n" })).toEqual([
    expect.stringMatching(
      /^config\.yaml:1 warning terminal\.network has no effect: it counts in the sandbox, and terminal\.sandbox is off$/,
    ),
    expect.stringMatching(/^config\.yaml:1 warning terminal\.writable has no effect/),
  ])
  expect(await find({ config: "terminal:\n  network: 'off'\n  writable:\n    - ~/x\n    - /\n    - /srv/../usr\n    - /srv\n" })).toEqual([
    'config.yaml:5 warning terminal.writable has no effect: / is of the system, or holds what is',
    'config.yaml:6 warning terminal.writable has no effect: /srv/../usr is of the system, or holds what is',
  ])
  expect(await find({ config: 'session_reset: {mode: idle, at_hour: 7, idle_minutes: 0}\n' })).toEqual([
    'config.yaml:1 warning session_reset.at_hour has no effect: session_reset.mode is idle',
    'config.yaml:1 warning session_reset.mode has no effect: session_reset.idle_minutes is 0',
  ])
  expect(await find({ config: 'session_reset: {mode: daily, at_hour: 7, idle_minutes: 3}\n' })).toEqual([
    'config.yaml:1 warning session_reset.idle_minutes has no effect: session_reset.mode is daily',
  ])
  expect(await find({ config: 'session_reset: {mode: daily, idle_minutes: 0}\n' })).toEqual([
    'config.yaml:1 warning session_reset.idle_minutes has no effect: session_reset.mode is daily',
  ])
  for (const fine of ['{mode: idle, idle_minutes: 5}', '{mode: both, at_hour: 7, idle_minutes: 3}', '{mode: none}'])
    expect(await find({ config: `session_reset: ${fine}\n` })).toEqual([])
  const config = 'platforms:\n  calm:\n    user_allowed_commands:\n      - /Help\n      - "*"\n      - statsu\n'
  expect(await find({ config, env: 'CALM_GROUP_USER_ALLOWED_COMMANDS=xyzzyq\n' })).toEqual([
    '.env:1 warning platforms.calm.group_user_allowed_commands has no effect: there is no command /xyzzyq',
    'config.yaml:6 warning platforms.calm.user_allowed_commands has no effect: there is no command /statsu; did you mean status?',
  ])
})

test('entries of the chain of models that are never asked are told', async () => {
  const chain = '[{ provider: offline, model: x }, { provider: custom, model: "" }, { provider: custom, model: m }]'
  const told = (await find({ config: `fallback_providers: ${chain}\nfallback_model: { provider: custom, model: m }\n` })).filter((line) =>
    /fallback_(providers\.\d|model) /.test(line),
  )
  expect(told).toEqual([
    expect.stringMatching(/fallback_providers\.0 has no effect: the offline model stands in for no other/),
    expect.stringMatching(/fallback_providers\.1 has no effect: it needs a provider and a model/),
    expect.stringMatching(/fallback_model has no effect: fallback_providers stands in for it/),
  ])
  expect(
    (await find({ config: 'fallback_model: { provider: custom, model: m }\n' })).filter((line) =>
      /fallback_model has no effect/.test(line),
    ),
  ).toEqual([])
})

test('at a door for programs nobody is known, so that a budget for persons does not count there', async () => {
  const [calm] = plugin.contributes.platforms
  const doors = { asked: { door: 'request' }, hook: { gate: 'source' } }
  for (const [id, more] of Object.entries(doors)) {
    const folderOf = join(folder, 'plugins', 'platforms', id)
    mkdirSync(join(folderOf, 'dist'), { recursive: true })
    const platforms = [{ ...calm, id, env: [], homeEnv: undefined, ...more }]
    const manifest = { ...plugin, id: `platform-${id}`, env: [], permissions: {}, contributes: { platforms } }
    writeFileSync(join(folderOf, 'agent.plugin.json'), JSON.stringify(manifest))
    cpSync(import.meta.filename, join(folderOf, 'dist', 'calm.js'))
  }
  const budgets = ['asked', 'calm', 'hook'].map((platform) => `  - { tokens: 9, per: day, platform: ${platform}, person: each }`)
  expect(await find({ config: `budgets:\n${budgets.join('\n')}\n` })).toEqual([
    'config.yaml:2 warning budgets.0.person has no effect: nobody is known on asked',
    'config.yaml:4 warning budgets.2.person has no effect: nobody is known on hook',
  ])
})

test('a budget for persons counts where people are known, and elsewhere that is said', async () => {
  const budgets = ['cli', 'calm', 'oneshot'].map((platform) => `  - { tokens: 9, per: day, platform: ${platform}, person: each }`)
  expect(await find({ config: `budgets:\n${budgets.join('\n')}\n  - { tokens: 9, per: day, person: each }\n` })).toEqual([
    'config.yaml:2 warning budgets.0.person has no effect: nobody is known on cli',
    'config.yaml:4 warning budgets.2.person has no effect: nobody is known on oneshot',
  ])
})

test('quiet hours without an end, and those of a zone that nobody knows, are told', async () => {
  const config = [
    'notifiers:',
    "  bell: { quiet_hours: { from: '22:00', zone: Mars/Olympus } }",
    "  gong: { quiet_hours: { from: '22:00', to: '07:00', zone: Europe/Berlin } }",
    "  horn: { quiet_hours: { from: '22:00', to: '25:00' } }",
  ]
  const told = await find({ config: `${config.join('\n')}\n` })
  expect(told.filter((one) => one.includes('quiet_hours'))).toEqual([
    'config.yaml:2 warning notifiers.bell.quiet_hours.from has no effect without quiet_hours.to',
    'config.yaml:2 warning notifiers.bell.quiet_hours.zone has no effect: this machine knows no such zone; write one such as Europe/Berlin',
    'config.yaml:4 error notifiers.horn.quiet_hours.to must be an hour and a minute such as 22:00, not the text "25:00"',
    'config.yaml:4 warning notifiers.horn.quiet_hours.from has no effect without quiet_hours.to',
  ])
})
