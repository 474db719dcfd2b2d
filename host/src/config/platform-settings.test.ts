import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Home, openHome } from './home/home.ts'
import { loadConfig } from './load.ts'
import { readPlatformSettings } from './platform-settings.ts'
import { platformKeys } from './schema/platform-keys.ts'
import { platformSchema } from './schema/platform-schema.ts'
import { viewSetting } from './view.ts'

let home: Home
beforeEach(() => {
  home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'platform-')) } })
})
afterEach(() => rmSync(home.path, { recursive: true, force: true }))

const load = (environment: Record<string, string> = {}) => loadConfig(home, environment)
const write = (...lines: string[]): void => writeFileSync(home.files.config, lines.join('\n'))

test('without anything the defaults hold', async () => {
  const { settings, problems } = readPlatformSettings(await load(), 'chat')
  expect(problems).toEqual([])
  expect(settings).toMatchObject({ require_mention: true, group_sessions_per_user: true, thread_sessions_per_user: false })
  expect(settings).toMatchObject({ allow_bots: 'none', streaming: true, reactions: true, busy_input_mode: 'interrupt' })
  expect(settings.dm_policy).toBeUndefined()
})

test('variables beat the file, the file beats the defaults, display.busy_input_mode is the last word on nothing', async () => {
  write('display: {busy_input_mode: queue}', 'platforms: {chat: {require_mention: false, ignored_channels: ["1"], batch_ms: 0}}')
  expect(readPlatformSettings(await load(), 'chat').settings).toMatchObject({
    ...{ require_mention: false, ignored_channels: ['1'], batch_ms: 0, busy_input_mode: 'queue' },
  })
  const loaded = await load({ CHAT_REQUIRE_MENTION: 'yes', CHAT_IGNORED_CHANNELS: '2, 3,', CHAT_BUSY_INPUT_MODE: 'Steer' })
  expect(readPlatformSettings(loaded, 'chat').settings).toMatchObject({
    ...{ require_mention: true, ignored_channels: ['2', '3'], busy_input_mode: 'steer' },
  })
})

test('a variable that does not fit is named and not used', async () => {
  const { settings, problems } = readPlatformSettings(await load({ CHAT_ALLOW_BOTS: 'some', CHAT_BATCH_MS: '-1' }), 'chat')
  expect(problems).toEqual([
    { level: 'warning', key: 'CHAT_ALLOW_BOTS', problem: 'must be one of none, mentions, all; it is not used' },
    { level: 'warning', key: 'CHAT_BATCH_MS', problem: 'must be a whole number up to 60000; it is not used' },
  ])
  expect(settings.allow_bots).toBe('none')
})

test('what is shown says which variable holds, under the names of the manifest', async () => {
  write('platforms: {some-chat: {require_mention: true}}')
  const plain = await load({ SOME_CHAT_REQUIRE_MENTION: 'off', SOME_CHAT_ALLOWED_CHATS: '1,2', HOMEROOM: '5', SC_REQUIRE_MENTION: 'on' })
  expect(viewSetting(plain, 'platforms.some-chat.require_mention')).toMatchObject({
    ...{ value: false, source: 'environment', shadowedBy: 'SOME_CHAT_REQUIRE_MENTION' },
  })
  expect(viewSetting(plain, 'platforms.some-chat.allowed_channels').value).toEqual(['1', '2'])
  plain.environment.declarePlatform('some-chat', { prefix: 'SC', home: 'HOMEROOM' })
  expect(viewSetting(plain, 'platforms.some-chat.require_mention')).toMatchObject({ value: true, shadowedBy: 'SC_REQUIRE_MENTION' })
  expect(viewSetting(plain, 'platforms.some-chat.home_channel')).toMatchObject({ value: '5', shadowedBy: 'HOMEROOM' })
  const { require_mention: _gone, ...rest } = readPlatformSettings(plain, 'other').settings
  expect(rest.allowed_channels).toEqual([])
})

test('who opens a door to everybody says so twice', async () => {
  write('platforms: {chat: {dm_policy: open, group_policy: open, group_allow_from: ["*"]}}')
  expect(readPlatformSettings(await load(), 'chat').problems).toEqual([
    { level: 'error', key: 'platforms.chat.dm_policy', problem: 'is open, which needs "*" in allow_from' },
  ])
  expect(readPlatformSettings(await load({ CHAT_ALLOWED_USERS: '*' }), 'chat').problems).toEqual([])
})

test('every key of a platform that is one value or a list has a variable, and what the variable reads fits', () => {
  const own = ['enabled', 'unauthorized_dm_behavior', 'channel_prompts', 'extra']
  expect([...platformKeys.map(({ key }) => key), ...own].sort()).toEqual(Object.keys(platformSchema.shape).sort())
  for (const { key, reading } of platformKeys) {
    const values = ['true', '5', 'open', 'none', 'queue', 'first', 'allowlist'].map(reading.read).filter((value) => value !== undefined)
    expect(values.length, key).toBeGreaterThan(0)
    expect(
      values.filter((value) => !platformSchema.safeParse({ [key]: value }).success),
      key,
    ).toEqual([])
  }
})
