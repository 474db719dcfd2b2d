import { expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { openPlatformRules } from './platform-rules.ts'

function rulesOf(variables: Record<string, string>) {
  const warned: unknown[] = []
  const log = { debug: () => {}, info: () => {}, warn: (text: string, about: unknown) => void warned.push([text, about]), error: () => {} }
  const loaded = { config: defaultConfig, environment: openEnvironment(variables) }
  return { rules: openPlatformRules({ home: homeOf('/tmp/home', 'default'), loaded, log: log as never }), warned, loaded }
}

test('what does not fit is warned about once and left out', () => {
  const { rules, warned } = rulesOf({ TALK_MENTION_PATTERNS: '(a+)+, hey', TALK_ALLOW_BOTS: 'some' })
  expect(rules.of('talk').patterns.match('hey you')).toBe(true)
  expect(rules.of('talk').settings.allow_bots).toBe('none')
  expect(warned).toEqual([
    ['a mention pattern is not used', expect.objectContaining({ platform: 'talk', pattern: '(a+)+' })],
    [expect.stringMatching(/^TALK_ALLOW_BOTS must be one of/), { platform: 'talk' }],
  ])
})

test('a platform whose door is open to everybody by accident is not started', () => {
  const { rules } = rulesOf({ TALK_DM_POLICY: 'open', CHAT_DM_POLICY: 'open', CHAT_ALLOWED_USERS: '*' })
  expect(() => rules.requireSound('talk')).toThrow(/platforms\.talk\.dm_policy: is open, which needs "\*" in allow_from/)
  expect(() => rules.requireSound('chat')).not.toThrow()
})

test('what is only warned about stops no platform, and what stops one is not warned about', () => {
  const { rules, warned } = rulesOf({ TALK_ALLOW_BOTS: 'some', CHAT_DM_POLICY: 'open' })
  expect(() => rules.requireSound('talk')).not.toThrow()
  expect(() => rules.requireSound('chat')).toThrow()
  expect(warned).toEqual([[expect.stringMatching(/^TALK_ALLOW_BOTS/), { platform: 'talk' }]])
})

test('settings are read once; after a reload those of the platforms that stay as they are hold on', () => {
  const { rules, loaded } = rulesOf({ TALK_HOME_CHANNEL: 'old', CHAT_HOME_CHANNEL: 'old' })
  const homes = () => ['talk', 'chat'].map((platform) => rules.of(platform).settings.home_channel)
  expect(homes()).toEqual(['old', 'old'])
  Object.assign(loaded, { environment: openEnvironment({ TALK_HOME_CHANNEL: 'new', CHAT_HOME_CHANNEL: 'new' }) })
  expect(homes()).toEqual(['old', 'old'])
  rules.readAnew(new Set(['talk']))
  expect(homes()).toEqual(['old', 'new'])
})

test('a new home holds at once', () => {
  const { rules } = rulesOf({ TALK_HOME_CHANNEL: 'old' })
  expect(rules.of('talk').settings.home_channel).toBe('old')
  rules.setHome('talk', 'room')
  expect(rules.of('talk').settings).toMatchObject({ home_channel: 'room', require_mention: true })
})
