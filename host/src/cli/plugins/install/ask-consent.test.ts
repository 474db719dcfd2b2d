import { expect, test } from 'vitest'
import type { LockedPlugin } from '#kernel/installed/plugin-lock.ts'
import { surfaceOf } from '#kernel/installed/plugin-surface.ts'
import { formatConsent, type Proposal } from './ask-consent.ts'

type Permissions = Readonly<Record<string, unknown>>

/** The lines below "New since you agreed". */
function newsOf(before: Permissions, next: Permissions): readonly string[] {
  const surfaceWith = (permissions: Permissions) =>
    surfaceOf({
      permissions: Object.fromEntries(Object.entries(permissions).map(([name, value]) => [name, { value, reason: 'r' }])),
      env: [{ name: 'KEY', secret: true, required: true, prompt: 'Key' }],
    })
  const manifest = { id: 'toolset-dice', description: 'd' } as Proposal['manifest']
  const described = {
    version: '2.0.0',
    registry: '',
    resolved: 'x.tgz',
    surface: surfaceWith(next),
    surfaceHash: 'h',
  } as Proposal['described']
  const text = formatConsent({ manifest, described, before: { version: '1.0.0', surface: surfaceWith(before) } as LockedPlugin })
  const [, news = ''] = text.split('New since you agreed:\n')
  return news.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []))
}

test.each<[name: string, before: Permissions, next: Permissions, news: readonly string[]]>([
  ['one more address', { net: ['a.example'] }, { net: ['a.example', 'b.example'] }, ['net b.example']],
  ['fewer addresses', { net: ['a.example', 'b.example'] }, { net: ['b.example'] }, []],
  ['every address', { net: ['a.example'] }, { net: 'any' }, ['net any']],
  ['addresses after every one', { net: 'any' }, { net: ['a.example'] }, []],
  ['the own network after every address', { net: 'any' }, { net: ['any', 'private'] }, ['net private']],
  ['the network without a door', { net: ['any', 'private'] }, { net: ['any', 'direct'] }, ['net direct']],
  ['an address of this machine after every one', { net: 'any' }, { net: ['127.0.0.1'] }, ['net 127.0.0.1']],
  ['addresses after none', { net: 'none' }, { net: ['a.example'] }, ['net a.example']],
  ['one more folder', { fs: { read: ['a'], write: ['b'] } }, { fs: { read: ['a', 'c'], write: ['b'] } }, ['fs {"read":["c"]}']],
  ['a permission that was not there', {}, { run: ['git'] }, ['run git']],
  ['the same', { host: ['notify'] }, { host: ['notify'] }, []],
])('%s: only what is new is named as new', (_name, before, next, news) => {
  expect(newsOf(before, next)).toEqual(news)
})

test('skills are named as what they are: instructions of somebody else', () => {
  const surface = surfaceOf({ contributes: { skills: [{ id: 'tea', path: 'skills/tea' }], commands: [{ id: 'kitchen' }] } })
  const described = { version: '1.0.0', registry: '', resolved: 'x.tgz', surface, surfaceHash: 'h' } as Proposal['described']
  const manifest = { id: 'skills-kitchen', description: 'd' } as Proposal['manifest']
  expect(formatConsent({ manifest, described, before: undefined })).toContain(
    'It brings:\n  command kitchen\nIt gives the agent instructions that others wrote:\n  skill tea\n',
  )
})

test('the network of the machine is explained, and what holds plugins here is said', () => {
  const surface = surfaceOf({ permissions: { net: { value: ['direct'], reason: 'Listens.' } } })
  const described = { version: '1.0.0', registry: '', resolved: 'x.tgz', surface, surfaceHash: 'h' } as Proposal['described']
  const manifest = { id: 'toolset-ear', description: 'd' } as Proposal['manifest']
  const text = formatConsent({ manifest, described, before: undefined, contained: 'Plugins of others run in a sandbox.' })
  expect(text).toMatch(/net direct: Listens\.\n {2}net direct is the network of this machine itself: no sandbox keeps it from any address/)
  expect(text).toMatch(/\nPlugins of others run in a sandbox\.\nThis is h\.$/)
})

test('a variable of the agent itself is called that', () => {
  const env = ['API_SERVER_KEY', 'CHAT_ALLOWED_USERS', 'CHAT_TOKEN'].map((name) => ({ name, secret: true, prompt: 'A greeting' }))
  const described = {
    version: '1',
    registry: '',
    resolved: 'x.tgz',
    surface: surfaceOf({ env }),
    surfaceHash: 'h',
  } as Proposal['described']
  const text = formatConsent({ manifest: { id: 'chat', description: 'd' } as Proposal['manifest'], described, before: undefined })
  for (const name of ['API_SERVER_KEY', 'CHAT_ALLOWED_USERS'])
    expect(text).toContain(`${name} (secret), a setting of the agent itself: A greeting`)
  expect(text).toContain('CHAT_TOKEN (secret): A greeting')
})

test('a platform that lets in by its own word is said to', () => {
  const platforms = [
    { id: 'chat', reach: 'owner', gate: 'source' },
    { id: 'plain', reach: 'people', gate: 'sender' },
  ]
  const surface = surfaceOf({ contributes: { platforms } })
  const described = { version: '1.0.0', registry: '', resolved: 'x.tgz', surface, surfaceHash: 'h' } as Proposal['described']
  const text = formatConsent({ manifest: { id: 'platform-chat', description: 'd' } as Proposal['manifest'], described, before: undefined })
  expect(text).toMatch(/platform chat: it says by itself whose messages are answered; your lists of people do not hold\n/)
  expect(text).toMatch(/platform chat: it says that nobody but you writes there, so that its messages are taken for yours\n/)
  expect(text).toMatch(/\n {2}platform plain\n/)
})

test('who may decide who gets into the dashboard is named as such, and as news where that is new', () => {
  const surface = surfaceOf({ contributes: { gates: [{ id: 'office' }] } })
  const described = { version: '2.0.0', registry: '', resolved: 'x.tgz', surface, surfaceHash: 'h' } as Proposal['described']
  const manifest = { id: 'gate-office', description: 'd' } as Proposal['manifest']
  const said = 'gate office: it may decide who gets into the dashboard, once dashboard.gates names it'
  expect(formatConsent({ manifest, described, before: undefined })).toContain(`It brings:\n  ${said}\n`)
  const before = { version: '1.0.0', surface: surfaceOf({}) } as LockedPlugin
  expect(formatConsent({ manifest, described, before })).toContain(`New since you agreed:\n  ${said}\n`)
})
