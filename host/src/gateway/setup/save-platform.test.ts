import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readEnvFile } from '#config/environment/env-file.ts'
import { homeOf } from '#config/home/home.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import type { PlatformForm } from './platform-form.ts'
import { type PlatformAnswers, type SavedPlatform, savePlatform } from './save-platform.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const save = (
  answers: PlatformAnswers,
  form: Partial<PlatformForm> = {},
  variables: Readonly<Record<string, string>> = {},
): SavedPlatform =>
  savePlatform(
    { home: homeOf(home.home, 'default'), processEnvironment: variables },
    { id: 'talk', plugin: 'platform-talk', pluginOff: false, ...form } as PlatformForm,
    answers,
  )
const config = (): unknown => parse(home.read('config.yaml'))
const variables = (): unknown => readEnvFile(homeOf(home.home, 'default').files.env).values

test('answers are written where they are new, taken out where they are gone, and the platform is on', () => {
  home.write('.env', 'TALK_SERVER=old\nTALK_NICK=agent\nTALK_PASSWORD=secret\nOTHER=1\n')
  const values = { TALK_SERVER: 'new', TALK_NICK: 'agent', TALK_PASSWORD: undefined, TALK_CHANNEL: '#garden' }
  expect(save({ values })).toEqual({ written: ['TALK_SERVER', 'TALK_PASSWORD', 'TALK_CHANNEL'], shadowed: [] })
  expect(variables()).toEqual({ TALK_SERVER: 'new', TALK_NICK: 'agent', TALK_CHANNEL: '#garden', OTHER: '1' })
  expect(config()).toMatchObject({ platforms: { talk: { enabled: true } } })
  expect(config()).not.toHaveProperty('plugins')
})

test('its further keys are written too, and a plugin that is off as a whole is switched on', () => {
  save({ values: {}, settings: { unauthorized_dm_behavior: 'ignore' } }, { pluginOff: true })
  expect(config()).toMatchObject({
    platforms: { talk: { enabled: true, unauthorized_dm_behavior: 'ignore' } },
    plugins: { entries: { 'platform-talk': { enabled: true } } },
  })
})

test('what may be refused is refused before anything is written', () => {
  home.write('.env', 'TALK_SERVER=old\n')
  expect(() => save({ values: { TALK_SERVER: 'new' }, settings: { unauthorized_dm_behavior: 'maybe' } })).toThrow()
  expect(variables()).toEqual({ TALK_SERVER: 'old' })
  expect(() => config()).toThrow()
})

test('a variable of the process that says otherwise is named', () => {
  const values = { TALK_SERVER: 'new', TALK_NICK: 'agent', TALK_CHANNEL: '#garden' }
  const saved = save({ values }, {}, { TALK_SERVER: 'other', TALK_NICK: 'agent', TALK_CHANNEL: '' })
  expect(saved).toEqual({ written: ['TALK_SERVER', 'TALK_NICK', 'TALK_CHANNEL'], shadowed: ['TALK_SERVER'] })
})
