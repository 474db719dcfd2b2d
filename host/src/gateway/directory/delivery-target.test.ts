import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Catalog, Contribution, Listed } from '#kernel/catalog/catalog.ts'
import { because } from '#kernel/reasons.ts'
import { talkSpec } from '../testing/talk.ts'
import type { KnownChannel } from './channel-directory.ts'
import { resolveFrom, resolveTarget, type TargetSources } from './delivery-target.ts'

const known: readonly KnownChannel[] = [
  { id: 'C1', account: 'bot', kind: 'channel', name: '#garden', lastSeen: 9 },
  { id: 'C1/7', account: 'bot', kind: 'thread', name: 'roses', parent: 'C1', lastSeen: 8 },
  { id: 'C2', account: 'bot', kind: 'channel', name: '#gardeners', lastSeen: 7 },
  { id: 'D1', account: 'bot', kind: 'dm', name: 'Ann', lastSeen: 6 },
  { id: 'C3', account: 'bot', kind: 'channel', name: '#ops', lastSeen: 5 },
  { id: 'C4', account: 'bot', kind: 'channel', name: '#ops', lastSeen: 4 },
  { id: 'C3/7', account: 'bot', kind: 'thread', name: 'tulips', parent: 'C3', lastSeen: 3 },
]

function sourcesOf(channels: readonly KnownChannel[] = known, home?: string): TargetSources {
  const specs = ['talk', 'some-chat'].map((id) => talkSpec({ id }))
  const reason = because('env-missing', { names: 'SOME_TOKEN', file: '.env' })
  const listed = specs.map(
    (spec) =>
      ({
        installed: { manifest: { contributes: { platforms: [spec] } } },
        contributions: [{ kind: 'platform', id: spec.id, reason: spec.id === 'talk' ? undefined : reason }],
      }) as unknown as Listed,
  )
  const find = ((_: string, id: string) => (id === 'talk' ? ({ spec: specs[0] } as Contribution) : undefined)) as Catalog['find']
  const environment = { platform: (id: string) => (id === 'talk' ? { home: 'TALK_ROOM' } : undefined) }
  return { catalog: { plugins: listed, find }, environment, home: () => home, channels: async () => channels }
}

const conversation = async (text: string, sources = sourcesOf()): Promise<string> => {
  try {
    const target = await resolveTarget(text, sources)
    return target.type === 'local' ? 'local' : target.place.conversation
  } catch (error) {
    if (!isAgentError(error)) throw error
    return `${error.code}: ${error.message}`
  }
}

test.each([
  ['local', 'local'],
  [' Local ', 'local'],
  [' talk :C2', 'C2'],
  ['talk:C2', 'C2'],
  ['Talk:#garden', 'C1'],
  ['talk:garden', 'C1'],
  ['talk:GARDENE', 'C2'],
  ['talk:ann', 'D1'],
  ['talk:C1:7', 'C1/7'],
  ['talk:garden:roses', 'C1/7'],
  ['talk:garden:ro', 'C1/7'],
  ['talk:C4', 'C4'],
  ['talk: C4 ', 'C4'],
  ['talk:C3:7', 'C3/7'],
  ['talk:C3:tulips', 'C3/7'],
])('%s is %s', async (text, wanted) => {
  expect(await conversation(text)).toBe(wanted)
})

test('a gateway reads targets by its own catalog, variables, rules and directory', async () => {
  const { catalog, environment } = sourcesOf()
  const rules = { of: (platform: string) => ({ settings: { home_channel: platform === 'talk' ? 'garden' : undefined } }) }
  const asked: string[] = []
  const list = async (platform: string) => {
    asked.push(platform)
    return known
  }
  const resolve = resolveFrom({ catalog, loaded: { environment }, rules, directory: { list } })
  expect(await resolve('talk')).toMatchObject({ place: { platform: 'talk', conversation: 'C1' } })
  expect(asked).toEqual(['talk'])
  const homeless = resolveFrom({ catalog, loaded: { environment }, rules: { of: () => ({ settings: {} }) }, directory: { list } })
  await expect(homeless('talk')).rejects.toMatchObject({ code: 'HOME_CHANNEL_MISSING', params: { variable: 'TALK_ROOM' } })
})

test('only what people write on is a target, though its plugin has other doors too', async () => {
  const [spec, door] = [talkSpec({ id: 'some-chat' }), talkSpec({ id: 'some-door', door: 'request' })]
  const reason = because('env-missing', { names: 'SOME_TOKEN', file: '.env' })
  const contributions = [spec, door].map(({ id }) => ({ kind: 'platform', id, reason }))
  const plugin = { installed: { manifest: { contributes: { platforms: [door, spec] } } }, contributions } as unknown as Listed
  const broken = { contributions: [{ kind: 'platform', id: 'some-broken', reason }] } as unknown as Listed
  const find: Catalog['find'] = () => undefined
  const environment = { platform: () => undefined }
  const sources = { ...sourcesOf(), environment, catalog: { plugins: [broken, plugin], find } }
  expect(await conversation('some-chat', sources)).toMatch(/^PLUGIN_BLOCKED/)
  for (const word of ['some-door', 'some-broken']) expect(await conversation(word, sources)).toMatch(/^PLATFORM_UNKNOWN/)
  const homeless = { ...sourcesOf(), environment }
  expect(await conversation('talk', homeless)).toContain('TALK_HOME_CHANNEL')
})

test('what was never seen is an id as the platform writes it, and goes by the account that was seen last', async () => {
  expect(await resolveTarget('talk:+15550100', sourcesOf())).toEqual({
    type: 'place',
    place: { platform: 'talk', account: 'bot', conversation: '+15550100' },
  })
  expect(await conversation('talk:!room:example.org')).toBe('!room:example.org')
  expect(await conversation('talk:anybody', sourcesOf([]))).toBe('anybody')
})

test('where ids are names, half a name is somebody else', async () => {
  const nicks: readonly KnownChannel[] = [
    { id: 'annabel', account: 'bot', kind: 'dm', name: 'Annabel', lastSeen: 1 },
    { id: '#garden', account: 'bot', kind: 'channel', name: '#garden', lastSeen: 1 },
  ]
  expect(await conversation('talk:ann', sourcesOf(nicks))).toBe('ann')
  expect(await conversation('talk:#gar', sourcesOf(nicks))).toBe('#gar')
})

test('what a person typed is not sent where a known name may have been meant', async () => {
  const nicks: readonly KnownChannel[] = [
    { id: 'mira', account: 'bot', kind: 'dm', name: 'mira', lastSeen: 2 },
    { id: 'mirko', account: 'bot', kind: 'dm', name: 'mirko', lastSeen: 1 },
    { id: '123456', account: 'bot', kind: 'dm', lastSeen: 1 },
  ]
  const typed = (text: string): Promise<string> => conversation(text, { ...sourcesOf(nicks), isTyped: true })
  expect(await typed('talk:mir')).toMatch(/^CHANNEL_UNSURE: .*nothing was sent.*mira \(dm, mira\), mirko \(dm, mirko\).*--exact/)
  expect(await typed('talk:mria')).toMatch(/^CHANNEL_UNSURE: .*mira/)
  expect(await typed('talk:mira')).toBe('mira')
  expect(await typed('talk:zoe')).toBe('zoe')
  expect(await typed('talk:12345')).toBe('12345')
  expect(await conversation('talk:mir', sourcesOf(nicks))).toBe('mir')
})

test('a platform alone is its home channel, written as an id, a name or a whole target', async () => {
  for (const home of ['C1', '#garden', 'talk:C1', ' garden ']) expect(await conversation('talk', sourcesOf(known, home))).toBe('C1')
  const missing = await conversation('talk')
  expect(missing).toContain('HOME_CHANNEL_MISSING')
  expect(missing).toContain('platforms.talk.home_channel')
  expect(missing).toContain('TALK_ROOM')
})

test('a name that fits several is refused with all of them, an unknown one with the nearest', async () => {
  expect(await conversation('talk:ops')).toMatch(/^CHANNEL_AMBIGUOUS: .*#ops \(channel, C3\), #ops \(channel, C4\)/)
  expect(await conversation('talk:#gadren')).toMatch(/^CHANNEL_UNKNOWN: .*Did you mean "garden"/)
  expect(await conversation('talk:nothing')).toMatch(/^CHANNEL_UNKNOWN: .*agent gateway directory talk/)
})

test('a platform that is not there or not set up says what to do', async () => {
  expect(await conversation('tlak:C1')).toMatch(/^PLATFORM_UNKNOWN: .*Did you mean "talk"/)
  expect(await conversation('some_chat')).toMatch(/^PLUGIN_BLOCKED: .*SOME_TOKEN is not set\. Put SOME_TOKEN=…/)
  expect(await conversation('')).toContain('PLATFORM_UNKNOWN')
})

test('what was found is told with its kind and name, where it has one', async () => {
  expect(await resolveTarget('talk:C1', sourcesOf())).toMatchObject({ kind: 'channel', name: '#garden' })
  expect(await resolveTarget('talk:X', sourcesOf([{ id: 'X', account: 'bot', kind: 'dm', lastSeen: 1 }]))).toEqual({
    ...{ type: 'place', kind: 'dm', place: { platform: 'talk', account: 'bot', conversation: 'X' } },
  })
})

test('a thread is looked for in its own conversation', async () => {
  expect(await conversation('talk:garden:tulips')).not.toBe('C3/7')
  expect(await conversation('talk:C1:garden')).toContain('CHANNEL_UNKNOWN')
})

test.each([
  [6, /#ops \(channel, C1\), .*#ops \(channel, C6\)(?!.* more)/],
  [8, /#ops \(channel, C1\), .*#ops \(channel, C6\), 2 more/],
])('of %s conversations with one name six are told, and how many there are beside them', async (count, words) => {
  const ops = Array.from({ length: count }, (_, index) => ({
    ...{ id: `C${index + 1}`, account: 'bot', kind: 'channel' as const, name: '#ops', lastSeen: 1 },
  }))
  expect(await conversation('talk:ops', sourcesOf(ops))).toMatch(words)
})
