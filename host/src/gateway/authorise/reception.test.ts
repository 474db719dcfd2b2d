import { existsSync, readdirSync } from 'node:fs'
import type { InboundMessage } from '@agent/plugin-sdk'
import { describe, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { type Home, homeOf } from '#config/home/home.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { openPairing } from '../pairing/pairing.ts'
import { openReception } from './reception.ts'

const message = (change: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ id: '1', account: 'bot', text: 'hello', addressed: true },
  conversation: { id: 'ann', kind: 'dm' },
  sender: { id: 'ann', isBot: false },
  ...change,
})

interface Given {
  /** The platform's part of config.yaml. */
  readonly platform?: object
  /** People who are the owner of the profile. */
  readonly owners?: readonly string[]
  readonly spec?: object | undefined
  readonly variables?: Readonly<Record<string, string>>
  readonly loops?: (platform: string) => boolean
  readonly threads?: (platform: string) => boolean
  readonly isOwn?: (platform: string, message: InboundMessage, prefix: string) => boolean
}

async function open(given: Given = {}) {
  const { platform = {}, owners = [], variables = {}, loops = () => true, threads = () => false, isOwn = () => false } = given
  const place = await createTemporaryStore()
  const store = await place.open()
  const home = homeOf(place.folder, 'default')
  const environment = openEnvironment({ TALK_REPLY_PREFIX: '[bot] ', ...variables })
  const { settings } = readPlatformSettings({ config: { ...defaultConfig, platforms: { talk: platform } as never }, environment }, 'talk')
  const spec = 'spec' in given ? given.spec : { gate: 'sender', unknownSenders: 'pair' }
  const reception = openReception({
    home,
    loaded: { config: { ...defaultConfig, memory: { ...defaultConfig.memory, owners } }, environment } as never,
    catalog: { find: () => (spec === undefined ? undefined : { spec }) } as never,
    store,
    rules: { of: () => ({ settings, patterns: { match: () => false } }) as never },
    echoes: { isOwn },
    loops: { admit: loops },
    threads: { has: threads },
    clock: place.clock,
    log: silentLog,
  })
  return { reception, home, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

/** What the owner does with the code of a stranger. */
async function approve(home: Home, code: string): Promise<void> {
  const exclusive = async <T>(change: () => Promise<T>): Promise<T> => change()
  const pairing = openPairing({
    folder: home.files.pairing,
    exclusive: exclusive as never,
    clock: { now: () => 1_700_000_000_000 } as never,
    randomBytes: (n: number) => Buffer.alloc(n),
    log: silentLog,
  })
  await pairing.approve('talk', code)
}

test('a stranger is greeted with a code, and let in once it is approved', async () => {
  await using place = await open()
  expect(place.reception.judge('talk', message())).toBe('stranger')
  const said = await place.reception.greet('talk', message())
  const [, code = ''] = /approve talk (\w{8})/.exec(said ?? '') ?? []
  expect(code).toMatch(/^[A-Z2-9]{8}$/)
  expect(existsSync(place.home.files.pairing)).toBe(true)
  expect(readdirSync(place.home.files.pairing).length).toBeGreaterThan(0)
  await approve(place.home, code)
  expect(place.reception.judge('talk', message())).toBe('pass')
  expect(place.reception.isKnown('talk', message())).toBe(true)
  expect(place.reception.judge('talk', message({ account: 'second' }))).toBe('stranger')
})

test('where nothing is known of a platform, strangers are ignored, and the sender has to be let in', async () => {
  await using place = await open({ spec: undefined })
  expect(place.reception.judge('talk', message())).toBe('not-allowed')
})

test('a source that the platform has checked may come in', async () => {
  await using place = await open({ spec: { gate: 'source', unknownSenders: 'ignore' } })
  expect(place.reception.judge('talk', message())).toBe('pass')
})

test('what the bot has said itself is told by its echoes, with the prefix of the platform', async () => {
  const asked: unknown[] = []
  await using place = await open({ isOwn: (...words) => asked.push(words) > 0 })
  expect(place.reception.isEcho('talk', message())).toBe(true)
  expect(place.reception.judge('talk', message())).toBe('echo')
  expect(asked[0]).toEqual(['talk', message(), '[bot] '])
})

test('bots are counted, and threads that the bot takes part in need no name', async () => {
  const counted: string[] = []
  const variables = { TALK_ALLOW_ALL_USERS: 'true', TALK_ALLOW_BOTS: 'all' }
  const bot = message({ sender: { id: 'other', isBot: true } })
  await using place = await open({ variables, loops: (platform) => counted.push(platform) > 1 })
  expect([place.reception.judge('talk', bot), place.reception.judge('talk', bot), counted]).toEqual(['bot-loop', 'pass', ['talk', 'talk']])
  const inThread = message({ addressed: false, conversation: { id: 't', kind: 'thread', parent: 'room' } })
  await using joined = await open({ variables, threads: (platform) => platform === 'talk' })
  await using left = await open({ variables })
  expect([joined.reception.judge('talk', inThread), left.reception.judge('talk', inThread)]).toEqual(['pass', 'not-addressed'])
})

test('who may not use /cron makes no job in other words: strangers, and who is not allowed the command', async () => {
  const may = async (config: object, writer = 'ann'): Promise<boolean> => {
    await using place = await open({ platform: { allow_from: ['ann', '*'], ...config } })
    return place.reception.mayMakeJobs('talk', message({ sender: { id: writer, isBot: false } }))
  }
  expect([await may({}), await may({}, 'ben')]).toEqual([true, false])
  const tiers = { allow_admin_from: ['eve'], user_allowed_commands: ['status'] }
  expect([await may(tiers), await may(tiers, 'eve')]).toEqual([false, true])
  expect(await may({ ...tiers, user_allowed_commands: ['cron'] })).toBe(true)
})

test('a job is refused once one of those who made it is not let in, may not use /cron, or is the owner no more', async () => {
  const { account, conversation, sender } = message()
  const people = [{ platform: 'talk', account, conversation, sender }]
  const refusal = async (platform: object, owner = 'person:talk', owners: readonly string[] = []): Promise<string | undefined> => {
    await using place = await open({ platform, owners })
    return place.reception.refusalOf({ owner, people })
  }
  expect(await refusal({ allow_from: ['ann'] })).toBeUndefined()
  expect(await refusal({ allow_from: ['ben'] })).toContain('ann on talk')
  expect(await refusal({ allow_from: ['ann'], ignored_channels: ['ann'] })).toContain('may not use /cron')
  expect(await refusal({ allow_from: ['ann'], allow_admin_from: ['eve'] })).toContain('may not use /cron')
  expect(await refusal({ allow_from: ['ann'] }, 'owner', ['talk:ann'])).toBeUndefined()
  expect(await refusal({ allow_from: ['ann'] }, 'owner')).toContain('does not speak for the owner')
  await using place = await open({ platform: { allow_from: ['ben'] } })
  expect(place.reception.refusalOf({ owner: 'owner' })).toBeUndefined()
})

describe('the agent goes where it is invited', () => {
  const room = { id: 'room', kind: 'group' } as const
  const direct = { id: 'den', kind: 'dm' } as const
  test.each<[string, Given, 'join' | 'ignore', (typeof room | typeof direct)?]>([
    ['by a stranger', {}, 'ignore'],
    ['by a stranger, to talk alone', {}, 'ignore', direct],
    ['by who is let in', { platform: { allow_from: ['ann'] } }, 'join'],
    ['by who is let in, to talk alone', { platform: { allow_from: ['ann'] } }, 'join', direct],
    ['by somebody else', { platform: { allow_from: ['ben'] } }, 'ignore'],
    ['by who is let in everywhere', { variables: { GATEWAY_ALLOWED_USERS: 'ann' } }, 'join'],
    ['where everybody is let in', { variables: { TALK_ALLOW_ALL_USERS: 'true' } }, 'join'],
    ['into a room that the owner has named', { platform: { group_allowed_chats: ['room'] } }, 'join'],
    ['into another than the rooms of the owner', { platform: { allow_from: ['ann'], allowed_channels: ['den'] } }, 'ignore'],
    ['into a room that the owner does not want', { platform: { allow_from: ['ann'], ignored_channels: ['room'] } }, 'ignore'],
    ['where it is in no rooms', { platform: { allow_from: ['ann'], group_policy: 'disabled' } }, 'ignore'],
  ])('%s', async (_, given, answer, conversation = room) => {
    await using place = await open(given)
    expect(await place.reception.invited('talk', { account: 'bot', conversation, sender: { id: 'ann', isBot: false } })).toBe(answer)
    expect(existsSync(place.home.files.pairing)).toBe(false)
  })

  test('by who was let in with a code, to talk alone and not into a room', async () => {
    await using place = await open()
    const said = await place.reception.greet('talk', message())
    const [, code = ''] = /approve talk (\w{8})/.exec(said ?? '') ?? []
    await approve(place.home, code)
    const sender = { id: 'ann', isBot: false }
    expect(await place.reception.invited('talk', { account: 'bot', conversation: direct, sender })).toBe('join')
    expect(await place.reception.invited('talk', { account: 'bot', conversation: room, sender })).toBe('ignore')
  })
})
