import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { slashTable } from '#commands/slash-table.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openPlatformRules } from '../rules/platform-rules.ts'
import { createChat } from './create-chat.ts'
import { createRunningTurns } from './running-turns.ts'

const message: InboundMessage = {
  ...{ id: '1', account: 'bot', conversation: { id: 'room', kind: 'group' }, text: '', addressed: true },
  sender: { id: '77', name: 'Ann\u202e"', isBot: false },
}

function chatOf({ variable, isKnown = true, admin = 'root' }: { variable?: string; isKnown?: boolean; admin?: string } = {}) {
  const loaded = { config: defaultConfig, environment: openEnvironment({ TALK_GROUP_ALLOW_ADMIN_FROM: admin }) }
  const rules = openPlatformRules({ home: homeOf('/tmp/home', 'default'), loaded, log: silentLog })
  const kept: string[][] = []
  const services = {
    setHome: async (platform: string, target: string) => {
      kept.push([platform, target])
      return variable
    },
  }
  const running = createRunningTurns(() => 2_000)
  const people = {
    decide: async (platform: string, { conversation }: InboundMessage, choice: string) => `${platform} ${conversation.id} ${choice}`,
  }
  return {
    chat: createChat({ rules, running, people, services, isKnown: () => isKnown, now: () => 5_400 }, 'talk', message),
    kept,
    rules,
    running,
  }
}

test('a conversation becomes the one that the agent reports in, now and after a restart', async () => {
  const { chat, kept, rules } = chatOf()
  expect(await chat.setHome()).toBe('From now on I report here what concerns talk.')
  expect(kept).toEqual([['talk', 'room']])
  expect(rules.of('talk').settings.home_channel).toBe('room')
})

test('a variable that says otherwise is named, and holds', async () => {
  const { chat, rules } = chatOf({ variable: 'TALK_HOME_CHANNEL' })
  expect(await chat.setHome()).toMatch(/TALK_HOME_CHANNEL is set/)
  expect(rules.of('talk').settings.home_channel).toBeUndefined()
})

test('people see who they are, and only what is theirs', () => {
  const { chat, running } = chatOf()
  expect(chat.whoAmI()).toBe('You are "Ann \\"", known here as 77, in the group room of talk. You are a user.')
  expect(chat.status()).toBe('Nothing is going on here.')
  const claim = { ...{ seq: 1, owner: 'boot', attempts: 1, crashes: 0, platform: 'talk', message, receivedAt: 0 }, steps: [] }
  const { signal } = new AbortController()
  const turns = [true, false].map((background) => running.begin(claim, { sessionKey: 'k', background }, signal))
  running.begin({ ...claim, message: { ...message, account: 'second' } }, { sessionKey: 'k' }, signal)
  expect(chat.status()).toBe('In the background I have been working for 3 s.\nHere I have been working for 3 s.')
  for (const turn of turns) turn.end()
  expect(chat.status()).toBe('Nothing is going on here.')
})

test('what is decided concerns the conversation of the message', async () => {
  const { chat } = chatOf()
  expect(await chat.decide('once')).toBe('talk room once')
})

test('what belongs to the owner is for people whom the owner knows, and some of it for admins', () => {
  const may = (options: Parameters<typeof chatOf>[0]) =>
    ['new', 'sethome', 'platform'].map((name) => {
      const command = slashTable.find((each) => each.name === name)
      return command && chatOf(options).chat.mayUse(command)
    })
  expect(may({ admin: '' })).toEqual([true, true, false])
  expect(may({ admin: '', isKnown: false })).toEqual([true, false, false])
  expect(may({ admin: '77', isKnown: false })).toEqual([true, true, true])
  expect(may({})).toEqual([false, false, false])
})
