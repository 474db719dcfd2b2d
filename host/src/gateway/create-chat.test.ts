import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { defaultConfig } from '#config/defaults.ts'
import { openEnvironment } from '#config/environment.ts'
import { homeOf } from '#config/home.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createChat } from './create-chat.ts'
import { openPlatformRules } from './platform-rules.ts'
import { createRunningTurns } from './running-turns.ts'

const message: InboundMessage = {
  ...{ id: '1', account: 'bot', conversation: { id: 'room', kind: 'group' }, text: '', addressed: true },
  sender: { id: '77', name: 'Ann\u202e"', isBot: false },
}

function chatOf(variable?: string) {
  const loaded = { config: defaultConfig, environment: openEnvironment({ TALK_GROUP_ALLOW_ADMIN_FROM: 'root' }) }
  const rules = openPlatformRules({ home: homeOf('/tmp/home', 'default'), loaded, log: silentLog })
  const kept: string[][] = []
  const services = {
    setHome: async (platform: string, target: string) => {
      kept.push([platform, target])
      return variable
    },
  }
  const running = createRunningTurns(() => 0)
  const people = { decide: async () => undefined }
  return { chat: createChat({ rules, running, people, services, now: () => 0 }, 'talk', message), kept, rules, running }
}

test('a conversation becomes the one that the agent reports in, now and after a restart', async () => {
  const { chat, kept, rules } = chatOf()
  expect(await chat.setHome()).toBe('From now on I report here what concerns talk.')
  expect(kept).toEqual([['talk', 'room']])
  expect(rules.of('talk').settings.home_channel).toBe('room')
})

test('a variable that says otherwise is named, and holds', async () => {
  const { chat, rules } = chatOf('TALK_HOME_CHANNEL')
  expect(await chat.setHome()).toMatch(/TALK_HOME_CHANNEL is set/)
  expect(rules.of('talk').settings.home_channel).toBeUndefined()
})

test('people see who they are, and only what is theirs', () => {
  const { chat, running } = chatOf()
  expect(chat.whoAmI()).toBe('You are "Ann \\"", known here as 77, in the group room of talk. You are a user.')
  expect(chat.status()).toBe('Nothing is going on here.')
  const claim = { ...{ seq: 1, owner: 'boot', attempts: 1, crashes: 0, platform: 'talk', message, receivedAt: 0 }, steps: [] }
  const turn = running.begin(claim, { sessionKey: 'k', background: true }, new AbortController().signal)
  expect(chat.status()).toBe('In the background I have been working for 0 s.')
  turn.end()
  expect(chat.status()).toBe('Nothing is going on here.')
})
