import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeOwner, folderOf, ownerOf, ownerOfMessage, profileOwner, type Spoken, sessionOwner } from './owner.ts'

interface Said {
  readonly platform?: string
  readonly account?: string
  readonly id?: string
  readonly aliases?: readonly string[]
  readonly kind?: 'dm' | 'group' | 'channel' | 'thread'
  readonly place?: string
  readonly gate?: Spoken['gate']
}

function owner(
  { platform = 'post', account = 'bot', id = 'ann', aliases, kind = 'dm', place = 'p', gate = 'sender' }: Said,
  owners: readonly string[] = [],
): string {
  const sender = { id, name: 'Ann', isBot: false, ...(aliases ? { aliases } : {}) }
  return ownerOf({ platform, message: { account, conversation: { id: place, kind }, sender }, gate }, owners)
}

test('each person, each group, each account and each platform has an owner to itself', () => {
  const said: readonly Said[] = [
    ...[{}, { id: 'ben' }, { platform: 'irc' }, { account: 'bot2' }, { id: 'Ann' }, { id: 'ann ' }],
    ...[{ kind: 'group' as const }, { kind: 'group' as const, place: 'q' }, { kind: 'group' as const, place: 'ann' }],
    ...[
      { id: 'a:b', account: 'c' },
      { id: 'b', account: 'c:a' },
      { id: 'b', account: 'c%3Aa' },
      { platform: 'post:bot', account: '' },
    ],
    ...[{ gate: 'source' as const, place: 'r' }],
  ]
  const owners = said.map((each) => owner(each))
  expect(new Set(owners).size).toBe(said.length)
  expect(owners).not.toContain(profileOwner)
})

test('in a group everybody has the memory of the group, and a direct message is the same one wherever it is said', () => {
  expect(owner({ kind: 'group', id: 'ben' })).toBe(owner({ kind: 'group', id: 'ann' }))
  expect(owner({ kind: 'thread', id: 'ben' })).toBe(owner({ kind: 'thread' }))
  expect(owner({ place: 'x' })).toBe(owner({ place: 'y' }))
})

test('only who is named in the settings, by an id that the platform vouches for, is the owner, and only in a direct message', () => {
  expect(owner({}, ['post:ann'])).toBe(profileOwner)
  expect(owner({ id: '@a:b.net' }, [' post:@a:b.net '])).toBe(profileOwner)
  expect(owner({ id: '7', aliases: ['ann'] }, ['post:ann'])).toBe(profileOwner)
  for (const [said, names] of [
    [{ kind: 'group' }, ['post:ann']],
    [{ platform: 'irc' }, ['post:ann']],
    [{ id: 'Ann' }, ['post:ann']],
    [{ id: 'x' }, ['post:Ann', 'Ann', '*', 'post:*', '']],
    [{ gate: 'source' }, ['post:ann']],
    [{ id: 'owner' }, []],
  ] as const)
    expect(owner(said as Said, names), JSON.stringify(said)).not.toBe(profileOwner)
})

test('no name leads out of the folder, or into that of another', () => {
  const hostile = ['..', '../..', '../MEMORY.md', '/etc', 'a/../../b', 'con', '\0', 'others', '', '.', 'x'.repeat(5_000), 'ａ', '%2e%2e']
  const folders = hostile.map((id) => folderOf('/home/memories', owner({ id })))
  for (const folder of folders) expect(folder).toMatch(/^\/home\/memories\/others\/[\da-f]{32}$/)
  expect(new Set(folders).size).toBe(hostile.length)
  expect(folderOf('/home/memories', profileOwner)).toBe(join('/home', 'memories'))
  expect(sessionOwner('web', 'owner')).not.toBe(profileOwner)
})

test('an owner is told as people know him, whatever signs his name has', () => {
  expect(describeOwner(profileOwner)).toBe('you')
  expect(describeOwner(owner({ id: '@a:b%3A.net' }))).toBe('the person @a:b%3A.net on post')
  expect(describeOwner(owner({ kind: 'group', place: '50%:x' }))).toBe('the group 50%:x on post')
  expect(describeOwner(sessionOwner('web', 'ses_1'))).toBe('the session ses_1 on web')
})

test('a platform vouches for who speaks as its manifest says, and one that is gone vouches for nobody', () => {
  const gates: Readonly<Record<string, Spoken['gate']>> = { post: 'sender', hooks: 'source' }
  const catalog = { find: (_kind: string, id: string) => (gates[id] ? { spec: { gate: gates[id] } } : undefined) }
  const loaded = { config: { memory: { owners: ['post:ann', 'hooks:ann', 'gone:ann'] } } }
  const message = { account: 'bot', conversation: { id: 'p', kind: 'dm' }, sender: { id: 'ann', name: 'Ann', isBot: false } }
  const of = (platform: string) => ownerOfMessage({ catalog, loaded } as never, { platform, message } as never)
  expect([of('post'), of('hooks'), of('gone')]).toEqual([profileOwner, 'group:hooks:bot:p', 'group:gone:bot:p'])
})
