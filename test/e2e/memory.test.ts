// @module-tag process
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboundMessage } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { addPlatform, openReloadGateway, type ReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  for (const id of ['calm', 'loud']) addPlatform(home, id)
})
afterEach(() => home[Symbol.dispose]())

function configure(memory: object = {}): void {
  const on = ['platform-calm', 'platform-loud']
  const entries = Object.fromEntries(on.map((plugin) => [plugin, { enabled: true, isolation: 'inproc' }]))
  const access = { allow_from: ['*', 'ann', 'ben', 'boss'], group_allow_from: ['ann', 'ben', 'boss'], thread_sessions_per_user: true }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: access, loud: access }, memory }))
}

type Where = Partial<Pick<InboundMessage, 'account' | 'conversation' | 'sender'>>

interface Speaker {
  readonly name: string
  /** Undefined: the owner at the terminal. */
  readonly platform?: string
  readonly where?: Where
}

const person = (id: string): InboundMessage['sender'] => ({ id, name: 'Ann', isBot: false })
const dm = (id: string): Where => ({ sender: person(id), conversation: { id, kind: 'dm' } })
const group = (id: string, kind: 'group' | 'thread' | 'channel', by: string): Where => ({
  ...{ sender: person(by), conversation: { id, kind, parent: 'g' } },
})

/** Each of them has a memory to itself; ids try to be those of others, and to lead out of folders. */
const speakers: readonly Speaker[] = [
  { name: 'owner' },
  { name: 'ann', platform: 'calm', where: dm('ann') },
  { name: 'ben', platform: 'calm', where: dm('ben') },
  { name: 'namesake', platform: 'loud', where: dm('ann') },
  { name: 'account', platform: 'calm', where: { ...dm('ann'), account: 'bot2' } },
  { name: 'colons', platform: 'calm', where: { ...dm('ann'), account: 'bot:ann' } },
  { name: 'claimant', platform: 'calm', where: dm('owner') },
  { name: 'path', platform: 'calm', where: dm('../..') },
  { name: 'file', platform: 'calm', where: dm('../MEMORY.md') },
  { name: 'quote', platform: 'calm', where: dm("x' OR owner <> '") },
  { name: 'group', platform: 'calm', where: group('g', 'group', 'ann') },
  { name: 'thread', platform: 'calm', where: group('g-1', 'thread', 'ann') },
  { name: 'channel', platform: 'loud', where: group('g', 'channel', 'ben') },
]
/** What is looked for; the questions name the word before it. */
const secretOf = (speaker: Speaker): string => `value${100 + speakers.indexOf(speaker)}`
const wordOf = ({ name }: Speaker): string => `codeword${name}`

/** Says it in the speaker's conversation; at the terminal each line begins a session. */
async function say({ agent, service }: ReloadGateway, { platform, where }: Speaker, text: string): Promise<string> {
  if (platform !== undefined) return service(platform).talk(text, where)
  const request = { input: [{ type: 'text' as const, text }], source: 'cli', canAnswer: false }
  let said = ''
  for await (const event of agent.turns.run(request, createCall(new AbortController().signal)))
    if (event.type === 'message.complete') said = event.text
  return said
}

const remember = (text: string): string => `call memory ${JSON.stringify({ action: 'add', target: 'memory', content: text })}`

test('nothing that one of them has remembered or said reaches another: no prompt, no search, no answer', async () => {
  configure({ provider: 'recall' })
  await using opened = await openReloadGateway(home)
  for (const speaker of speakers) {
    expect(await say(opened, speaker, remember(`${wordOf(speaker)} means ${secretOf(speaker)}`)), speaker.name).toContain(
      'memory has 1 entry now',
    )
    if (speaker.platform !== undefined) await say(opened, speaker, '/new')
    await say(opened, speaker, 'good morning')
  }
  for (const speaker of speakers) {
    const others = speakers.filter((each) => each !== speaker)
    const args = ['means', 'codeword', ...others.map(wordOf)].map((query) => JSON.stringify({ query }))
    for (const call of [
      ...args.map((each) => `call session_search ${each}`),
      ...args.map((each) => `call recall ${each}`),
      'call session_search {}',
    ]) {
      const answer = await say(opened, speaker, call)
      expect(
        others.map(secretOf).filter((secret) => answer.includes(secret)),
        `${speaker.name}: ${call}`,
      ).toEqual([])
    }
    expect(await say(opened, speaker, 'call recall {"query":"means"}'), speaker.name).toContain(secretOf(speaker))
  }
  const { past, sessions } = opened.agent.store
  const all = await sessions.list({ limit: 500 })
  const owners = new Set(all.map(({ owner }) => owner))
  expect(owners.size).toBe(speakers.length)
  let withMemory = 0
  for (const { id, owner } of all) {
    const session = await sessions.find(id)
    const own = speakers.find((each) => session?.system.includes(secretOf(each)))
    const named = speakers.filter((each) => session?.system.includes(secretOf(each)))
    expect(named.length).toBeLessThanOrEqual(1)
    if (own === undefined) continue
    withMemory++
    // The one whose sessions these are has said it there.
    const first = await past.find({ owner: owner ?? '', query: secretOf(own), most: 5 })
    expect(first.length, own.name).toBeGreaterThan(0)
  }
  expect(withMemory).toBeGreaterThanOrEqual(speakers.length)
}, 120_000)

test('who is named as the owner shares the memory of the terminal in direct messages, and in no group', async () => {
  configure({ owners: ['calm:boss'] })
  await using opened = await openReloadGateway(home)
  const terminal = { name: 'owner' }
  await say(opened, terminal, remember('The safe is behind the clock.'))
  const boss: Speaker = { name: 'boss', platform: 'calm', where: dm('boss') }
  await say(opened, boss, 'good morning')
  const inGroup: Speaker = { name: 'boss', platform: 'calm', where: group('g', 'group', 'boss') }
  await say(opened, inGroup, 'good morning')
  const systems = await Promise.all(
    (await opened.agent.store.sessions.list({ limit: 9 })).map(async ({ id, key }) => [
      key,
      (await opened.agent.store.sessions.find(id))?.system,
    ]),
  )
  const knows = systems.filter(([, system]) => system?.includes('behind the clock')).map(([key]) => key)
  expect(knows).toEqual([expect.stringContaining(':dm:bot:boss')])
  expect(readFileSync(join(home.home, 'memories', 'MEMORY.md'), 'utf8')).toBe('The safe is behind the clock.\n')
  expect(existsSync(join(home.home, 'memories', 'others'))).toBe(false)
})

test('a prompt stays as it was while memory changes, and no tool of files reads the memory of others', async () => {
  configure()
  await using opened = await openReloadGateway(home)
  const ann: Speaker = { name: 'ann', platform: 'calm', where: dm('ann') }
  await say(opened, ann, 'good morning')
  const [before] = await opened.agent.store.sessions.list({ limit: 1 })
  const systemOf = async (): Promise<string | undefined> => (await opened.agent.store.sessions.find(before?.id ?? ''))?.system
  const system = await systemOf()
  expect(await say(opened, ann, remember('Likes tea.'))).toContain('memory has 1 entry now')
  await say(opened, ann, 'good evening')
  expect(await systemOf()).toBe(system)
  const [folder = ''] = readdirSync(join(home.home, 'memories', 'others'))
  const file = join(home.home, 'memories', 'others', folder, 'MEMORY.md')
  const ben: Speaker = { name: 'ben', platform: 'calm', where: dm('ben') }
  for (const call of [
    `call read_file ${JSON.stringify({ path: file })}`,
    `call search_files ${JSON.stringify({ pattern: 'tea', path: join(home.home, 'memories') })}`,
    `call terminal ${JSON.stringify({ command: `cat ${file}` })}`,
  ])
    expect(await say(opened, ben, call), call).not.toContain('Likes tea')
  expect(readFileSync(file, 'utf8')).toBe('Likes tea.\n')
})

test('/memory on a platform is about the memory of that conversation; the setting is for admins', async () => {
  configure({ write_approval: true })
  await using opened = await openReloadGateway(home)
  const ann: Speaker = { name: 'ann', platform: 'calm', where: dm('ann') }
  const ben: Speaker = { name: 'ben', platform: 'calm', where: dm('ben') }
  const [, waits = ''] = /as (mem_\w+)/.exec(await say(opened, ann, remember('Likes tea.'))) ?? []
  expect(await say(opened, ben, '/memory pending')).toBe('No change of the memory waits.')
  for (const act of ['approve', 'reject']) {
    expect(await say(opened, ben, `/memory ${act} ${waits}`)).toContain(`No change of the memory waits under "${waits}"`)
    expect(await say(opened, ben, `/memory ${act} all`)).toBe('No change of the memory waits.')
  }
  expect(await say(opened, ann, '/memory pending')).toContain(`${waits} (`)
  expect(await say(opened, ann, `/memory approve ${waits}`)).toContain('is remembered')
  expect(await say(opened, ann, '/memory')).toContain('- Likes tea.')
  expect(await say(opened, ben, '/memory')).not.toContain('tea')
  expect(await say(opened, ann, '/memory approval off')).toContain('Only an admin')
  expect(await say(opened, ann, remember('Likes jazz.'))).toContain('It waits for the approval')
})
