import type { Connection, Mood } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import { bot, direct, general } from '../test/discord-world.ts'
import { call, createBench, type RigOptions } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start(options: RigOptions = {}) {
  const server = await bench.openServer()
  const rig = bench.openRig(server, options)
  const connection = (await rig.connect()) as Required<Connection>
  const mark = (conversation: string, id: string, mood: Mood) => connection.react({ account: bot.id, conversation, id }, mood, call)
  return { server, rig, connection, mark }
}

test('one mark replaces the other, after a rate limit too', async () => {
  const { server, rig, mark } = await start()
  const message = server.say('hi')
  await mark(direct, message.id, 'seen')
  expect([...message.reactions.keys()]).toEqual(['👀'])
  server.refuseNext('PUT', /reactions/, 429, { message: 'You are being rate limited.', retry_after: 0.25 })
  const marking = mark(direct, message.id, 'failed')
  await expect
    .poll(async () => {
      await rig.clock.advance(250)
      return [...message.reactions.keys()]
    })
    .toEqual(['❌'])
  await marking
})

test('the message that begins a thread is marked where it lies', async () => {
  const { server, mark } = await start()
  const message = server.say('hi', { channel: general, mention: true })
  await mark(`${general}/${message.id}`, message.id, 'done')
  expect([...message.reactions.keys()]).toEqual(['✅'])
})

test('a command has no mark, and marks can be switched off', async () => {
  const { server, mark } = await start({ extra: { reactions: false } })
  const message = server.say('hi')
  await mark(direct, message.id, 'seen')
  await mark(direct, 'command-1', 'seen')
  expect(message.reactions.size).toBe(0)
  const other = await start()
  const asked = other.server.http.journal.length
  await other.mark(direct, 'command-1', 'seen')
  expect(other.server.http.journal).toHaveLength(asked)
})

test('what Discord refuses is told', async () => {
  const { server, mark } = await start()
  const message = server.say('hi')
  server.refuseNext('PUT', /reactions/, 403, { message: 'Missing Permissions', code: 50_013 })
  await expect(mark(direct, message.id, 'seen')).rejects.toMatchObject({ params: { detail: 'Missing Permissions (50013)' } })
})

const commands = [
  { name: 'new', summary: 'Starts a new conversation', args: '' },
  { name: 'model', summary: 'x'.repeat(120), args: '[NAME]' },
]

test('the menu is replaced', async () => {
  const { server, connection } = await start()
  await connection.setCommands(commands, call)
  expect(server.world.commands).toEqual([
    { name: 'new', description: 'Starts a new conversation', options: [] },
    { name: 'model', description: 'x'.repeat(100), options: [{ type: 3, name: 'args', description: '[NAME]', required: false }] },
  ])
  await connection.setCommands(commands.slice(1), call)
  expect(server.world.commands).toHaveLength(1)
  server.refuseNext('PUT', /commands$/, 400, { message: 'Invalid Form Body', code: 50_035 })
  await expect(connection.setCommands(commands, call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('the command of an activity stays in the menu', async () => {
  const { server, connection } = await start()
  server.world.entryPoint = { id: '77', type: 4, name: 'launch', description: 'Launches', handler: 2 }
  await connection.setCommands(commands, call)
  expect(server.world.commands.map(({ name }) => name)).toEqual([...commands.map(({ name }) => name), 'launch'])
})

test.each<RigOptions>([{ secrets: { DISCORD_COMMAND_SYNC_POLICY: 'off' } }, { extra: { slash_commands: false } }])(
  'the menu is left alone where that is set: %j',
  async (options) => {
    const { server, connection } = await start(options)
    await connection.setCommands(commands, call)
    expect(server.http.journal.filter(({ method }) => method === 'PUT')).toHaveLength(0)
  },
)

async function read(pieces: AsyncIterable<Uint8Array>): Promise<readonly number[]> {
  const bytes: number[] = []
  for await (const piece of pieces) bytes.push(...piece)
  return bytes
}

test('a file is fetched by the address that its message has now', async () => {
  const { server, rig, connection } = await start()
  const bytes = Uint8Array.from([1, 2, 3])
  server.say('', { files: [{ name: 'a.pdf', mime: 'application/pdf', bytes }] })
  await expect.poll(() => rig.host.received.length).toBe(1)
  const [file] = rig.host.received[0]?.media ?? []
  if (!file) return expect.unreachable()
  expect(await read(connection.fetchMedia(file, call))).toEqual([1, 2, 3])
  expect(server.http.journal.at(-1)?.headers).not.toHaveProperty('authorization')
  const gone = { ...file, id: file.id.replace(/\d+$/, '99') }
  await expect(read(connection.fetchMedia(gone, call))).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a file that lies outside of Discord is not fetched', async () => {
  const { server, rig, connection } = await start()
  const elsewhere = await bench.openServer()
  const message = server.say('', { files: [{ name: 'a.pdf', mime: 'application/pdf', bytes: Uint8Array.from([1]) }] })
  await expect.poll(() => rig.host.received.length).toBe(1)
  const [file] = rig.host.received[0]?.media ?? []
  if (!file) return expect.unreachable()
  for (const url of [`${elsewhere.url}/files/1/1`, 'https://discordapp.com.example.org/a', 'http://cdn.discordapp.com/a']) {
    message.data = { ...message.data, attachments: [{ id: '1', filename: 'a.pdf', content_type: 'application/pdf', size: 1, url }] }
    await expect(read(connection.fetchMedia(file, call))).rejects.toThrow('outside of Discord')
  }
  expect(elsewhere.http.journal).toEqual([])
})
