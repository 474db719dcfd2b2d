import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPairing, type Pairing } from '#gateway/pairing/pairing.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from './pairing.ts'

let home: TestHome
let gateway: Pairing
beforeEach(() => {
  home = openTestHome()
  const platform = (id: string, door: string) => ({
    ...{ id, entry: 'dist/platform.js', label: id, door, reach: 'people', capabilities: {}, limits: {}, onByDefault: true },
  })
  home.write(
    'plugins/local/platform-some-chat/agent.plugin.json',
    JSON.stringify({
      ...{ manifestVersion: 1, id: 'platform-some-chat', name: 'Some chat', description: 'x', version: '1.0.0', license: 'MIT' },
      api: { platform: 1 },
      contributes: { platforms: [platform('some-chat', 'messaging'), platform('some-api', 'request')] },
    }),
  )
  const folder = join(home.home, 'platforms', 'pairing')
  gateway = openPairing({ folder, exclusive: async (change) => change(), clock: systemClock, randomBytes, log: silentLog })
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]) => runCommand(command, words, { environment: home.environment })
const ask = async (user: string, name = user): Promise<string> =>
  (await gateway.offer('some-chat', { account: 'bot', user, name, message: user, conversation: `dm-${user}` })) ?? ''

test('who asks is listed without the code, is let in by it, and can be put out again', async () => {
  expect((await run('list')).out).toBe('Nobody waits for an approval, and nobody was let in by pairing.\n')
  const code = await ask('anna', '\u001b[2J\u202eAnna')
  const waiting = await run('list')
  expect(waiting.out).toMatch(/^some-chat {2}anna {2}Anna {2}at bot {2}asked 0 s ago$/m)
  expect((await run('list', '--json')).out + waiting.out).not.toContain(code)
  await ask('nick')
  expect((await run('list')).out).toMatch(/^some-chat {2}nick {2,}at bot {2}asked 0 s ago$/m)
  await run('revoke', 'some-chat', 'nick')
  expect(await run('approve', 'Some_Chat', code.toLowerCase())).toMatchObject({
    code: 0,
    out: 'anna may write to bot on some-chat now, in direct messages. No gateway runs: they are told so when it starts.\n',
  })
  expect(gateway.isApproved('some-chat', { account: 'bot', user: 'anna' })).toBe(true)
  expect(JSON.parse((await run('list', '--json')).out)).toEqual({
    pending: [],
    approved: [expect.objectContaining({ platform: 'some-chat', account: 'bot', user: 'anna' })],
    locked: [],
    admissions: [],
  })
  expect(await run('revoke', 'some-chat', 'anna')).toMatchObject({ code: 0, out: expect.stringContaining('no longer') })
  expect(gateway.isApproved('some-chat', { account: 'bot', user: 'anna' })).toBe(false)
})

test('whom the settings let in stands below who was let in by a code', async () => {
  home.write(
    'config.yaml',
    'plugins: { entries: { platform-some-chat: { enabled: true } } }\nplatforms: { some-chat: { group_allow_from: [mira, tom], allow_admin_from: ["\\e[2J"] } }\n',
  )
  const options = { environment: { ...home.environment, GATEWAY_ALLOWED_USERS: 'eve', SOME_CHAT_ALLOW_ALL_USERS: 'true' } }
  const { out } = await runCommand(command, ['list'], options)
  expect(out).toMatch(/^Nobody waits .*\n\nThe settings name others:\n {2}some-chat {2}group_allow_from +mira, tom *\n/)
  expect(out).toMatch(/GATEWAY_ALLOWED_USERS +eve *\n.*SOME_CHAT_ALLOW_ALL_USERS +everybody/)
  expect(out).not.toContain('\u001b')
})

test('an unknown platform or person is named with the nearest one', async () => {
  expect(await run('approve', 'some-chatt', 'ABCDEFGH')).toMatchObject({
    code: 1,
    error: 'PLATFORM_UNKNOWN',
    note: 'agent: There is no messaging platform "some-chatt". Did you mean "some-chat"?\n',
  })
  expect((await run('approve', 'some-api', 'ABCDEFGH')).note).toContain('There is no messaging platform "some-api".')
  await run('approve', 'some-chat', await ask('anna'))
  expect(await run('revoke', 'some-chat', 'hanna')).toMatchObject({ code: 1, note: expect.stringContaining('Did you mean "anna"?') })
})

test('wrong codes are counted down to the lock, which the list shows', async () => {
  const code = await ask('anna')
  const notes: string[] = []
  for (let tries = 0; tries < 5; tries++) notes.push((await run('approve', 'some-chat', 'WRONG')).note)
  expect(notes.slice(0, 4).map((note) => /(\d tries|One try)/.exec(note)?.[0])).toEqual(['4 tries', '3 tries', '2 tries', 'One try'])
  expect(notes[4]).toMatch(/pairing on some-chat is locked until \d{4}-\d\d-\d\dT/)
  expect(await run('approve', 'some-chat', code)).toMatchObject({ code: 1, note: notes[4] })
  expect((await run('list')).note).toMatch(/^Pairing on some-chat is locked until/)
})

test('open codes are cleared, and a damaged file is named', async () => {
  const code = await ask('anna')
  expect(await run('clear-pending')).toMatchObject({ code: 0, out: 'One code is worthless now.\n' })
  expect((await run('approve', 'some-chat', code)).code).toBe(1)
  home.write('platforms/pairing/some-chat-pending.json', '{"x')
  expect(await run('list')).toMatchObject({ code: 1, note: expect.stringMatching(/some-chat-pending\.json cannot be read: .*delete it/) })
})
