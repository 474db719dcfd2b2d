import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type PlatformSettings, platformDefaults } from '#config/platform-settings.ts'
import { judge } from '#gateway/authorise/gates.ts'
import { quoteWord } from '#tools/shell/quote-word.ts'
import { describeRefusal, readRefusal } from './describe-refusal.ts'

const direct = { id: 'd', kind: 'dm' } as const
const room = { id: 'garden', kind: 'group' } as const
const thread = { id: 't', kind: 'thread', parent: 'garden' } as const

interface Given {
  readonly conversation?: InboundMessage['conversation']
  readonly settings?: Partial<PlatformSettings>
  readonly isBot?: true
  readonly addressed?: boolean
}

function judgeOf({ conversation = direct, isBot, addressed = true }: Given, settings: PlatformSettings): string {
  const sender = { id: 'bob', name: 'Bob', isBot: isBot === true }
  return judge(
    { id: '1', account: 'bot', text: 'hi', addressed, conversation, sender },
    {
      ...{ platform: 'talk', settings, variable: () => undefined, isApproved: () => false, isEcho: false, admitBot: () => true },
      ...{ patterns: { match: () => false }, takesPart: () => false, strangers: 'pair', unknownSenders: 'pair' },
    },
  )
}

const allowed = { allow_from: ['bob'], group_allow_from: ['bob'] }

test.each<[string, Given, RegExp]>([
  ['stranger', {}, /bob in the direct message d: nobody has let them in, so they get a code\.$/m],
  ['not-allowed', { settings: { allow_from: ['ann'] } }, /nobody has let them in for direct messages\.$/m],
  ['not-allowed', { settings: { dm_policy: 'disabled' } }, /dm_policy is disabled\.$/m],
  ['not-allowed', { conversation: room }, /bob in the group garden: nobody has let them in for rooms\.$/m],
  ['not-allowed', { conversation: room, settings: { ...allowed, group_policy: 'disabled' } }, /group_policy is disabled\.$/m],
  [
    'elsewhere',
    { conversation: room, settings: { ...allowed, ignored_channels: ['x', 'garden'] } },
    /ignored_channels has this conversation/,
  ],
  ['elsewhere', { conversation: thread, settings: { ...allowed, ignored_channels: ['garden'] } }, /ignored_channels has/],
  ['elsewhere', { conversation: room, settings: { ...allowed, allowed_channels: ['x'] } }, /allowed_channels does not have it/],
  ['from-a-bot', { isBot: true, settings: allowed }, /it is a bot, and allow_bots is none/],
  ['not-addressed', { conversation: room, addressed: false, settings: allowed }, /does not name the agent/],
])('%s: what is proposed lets them in (%j)', (verdict, given, told) => {
  const settings: PlatformSettings = { ...platformDefaults, ...given.settings }
  expect(judgeOf(given, settings)).toBe(verdict)
  const { id, ...more } = given.conversation ?? direct
  const fields = { platform: 'talk', sender: 'bob', conversation: id, ...more, verdict }
  const refusal = readRefusal({ time: 0, pid: 1, message: 'a message was not answered', fields })
  const wished: Record<string, unknown> = {}
  const text =
    refusal &&
    describeRefusal(refusal, settings, (key, value) => {
      wished[key.replace('platforms.talk.', '')] = /^[[tf]/.test(value) ? JSON.parse(value) : value
      return `set ${key}`
    })
  expect(text).toMatch(told)
  expect(text).toContain('To let them in: set platforms.talk.')
  expect(judgeOf(given, { ...settings, ...wished })).toBe('pass')
})

test('the words of a plugin that refuses are told, those of the agent itself are not, and other lines tell of nobody', () => {
  const about = { platform: 'talk', sender: 'bob', conversation: 'd', kind: 'dm', parent: undefined } as const
  const describe = (verdict: string) => describeRefusal({ ...about, verdict }, platformDefaults, () => 'set it')
  expect(describe('no swearing')).toBe('Refused on talk: bob in the direct message d: a plugin refuses it: no swearing.')
  expect(describe('toString')).toContain('a plugin refuses it')
  expect(describe('echo')).toBeUndefined()
  expect(readRefusal({ time: 0, pid: 1, message: 'connected', fields: { ...about, parent: '' } })).toBeUndefined()
})

test('an id that a stranger has chosen stays one word of the shell', () => {
  expect(quoteWord(`["'; rm -r /; '"]`)).toBe(String.raw`'["'\''; rm -r /; '\''"]'`)
})
