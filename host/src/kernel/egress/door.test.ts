import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { type Door, type DoorOptions, openDoor } from './door.ts'
import { isOwnDoor } from './own-doors.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function open(net: DoorOptions['net'], more: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({ plugins: ['mine'], net, clock: systemClock, isOwnDoor: async () => false, ...more })
  closers.push(() => door.close())
  return door
}

async function serve(greeting: string): Promise<number> {
  const server: Server = createServer((socket) => socket.on('error', () => undefined).end(greeting))
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** What a child hears that asks for a name and a port. */
async function ask(door: Door, host: unknown, port: unknown): Promise<string> {
  const socket = connect({ path: join(door.folder, 'door') })
  socket.write(`${JSON.stringify({ host, port })}\n`)
  return text(socket)
}

test('a name is looked up once, and the connection goes to the address that was judged', async () => {
  const port = await serve('hello')
  const answers = [['127.0.0.1'], ['192.0.2.1']]
  const door = await open(['site.example', 'private'], { lookup: async () => answers.shift() ?? [] })
  expect(await ask(door, 'Site.Example.', port)).toBe(`{"address":"127.0.0.1","port":${port},"family":"IPv4"}\nhello`)
  expect(answers).toHaveLength(1)
})

test.each<[string, DoorOptions['net'], string, number, readonly string[], RegExp]>([
  ['an undeclared name', ['a.example'], 'b.example', 443, [], /does not declare .*b.example.* in permissions.net/],
  ['a name below a declared one', ['a.example'], 'x.a.example', 443, [], /does not declare/],
  ['another port', ['a.example:443'], 'a.example', 80, [], /does not declare/],
  [
    'a declared name that leads into this machine',
    ['a.example'],
    'a.example',
    443,
    ['127.0.0.1'],
    /leads to 127.0.0.1 in a private network/,
  ],
  ['one that leads there by version 6', 'any', 'a.example', 443, ['::1'], /leads to ::1 in a private network/],
  ['one that hides it in an address of version 6', 'any', 'a.example', 443, ['::ffff:127.0.0.1'], /in a private network/],
  ['this machine, where any host is declared', 'any', '127.0.0.1', 443, [], /in a private network/],
  ['the door to the data of a cloud', 'any', '169.254.169.254', 80, [], /in a private network/],
  ['the world, where only private networks are declared', ['private'], '93.184.216.34', 80, [], /does not declare/],
  ['a name of the world there', ['private', 'localhost'], 'a.example', 80, ['93.184.216.34'], /does not declare/],
  ['nothing', [], 'a.example', 443, [], /does not declare/],
])('%s is refused', async (_name, net, host, port, addresses, words) => {
  const answer = JSON.parse(await ask(await open(net, { lookup: async () => addresses }), host, port))
  expect(answer).toEqual({ code: 'EACCES', message: expect.stringMatching(words) })
  expect(answer.message).toMatch(`mine may not connect to ${host}:${port}: `)
})

test('names are looked up one after the other, also after one that is not found', async () => {
  const asked: string[] = []
  let answer: (error?: Error) => void = () => undefined
  const lookup = (host: string): Promise<readonly string[]> => {
    asked.push(host)
    return new Promise((resolve, reject) => (answer = (error) => (error ? reject(error) : resolve(['127.0.0.1']))))
  }
  const door = await open('any', { lookup })
  const [first, second] = [ask(door, 'a.example', 80), ask(door, 'b.example', 80)]
  await expect.poll(() => asked).toEqual(['a.example'])
  answer(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
  expect(await first).toContain('ENOTFOUND')
  await expect.poll(() => asked).toEqual(['a.example', 'b.example'])
  answer()
  expect(await second).toContain('in a private network')
})

test('a door of the agent is closed to every plugin, whatever it declares', async () => {
  const port = await serve('secrets')
  const door = await open(['any', 'private', '127.0.0.1'], { isOwnDoor })
  expect(await ask(door, '127.0.0.1', port)).toContain('a door of the agent itself')
  expect(await ask(door, 'localhost', port)).toContain('a door of the agent itself')
  expect([await isOwnDoor('127.0.0.1', 9229), await isOwnDoor('::ffff:127.0.0.1', port), await isOwnDoor('192.0.2.1', port)]).toEqual([
    ...[true, true, false],
  ])
})

test.each([
  ['no name', '', 1],
  ['no port', 'a.example', 0],
  ['a port that is none', 'a.example', 1.5],
  ['a number', 7, 7],
  ['more than fits', 'x'.repeat(2000), 80],
])('%s is no question', async (_name, host, port) => {
  expect(await ask(await open('any'), host, port)).toContain('"code":"EINVAL"')
})

test('what does not answer is told as Node would', async () => {
  const port = await serve('')
  await closers.pop()?.()
  expect(await ask(await open(['localhost']), 'localhost', port)).toMatch(/"code":"ECONNREFUSED"/)
  const lookup = async (): Promise<never> =>
    Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), { code: 'ENOTFOUND' }))
  expect(await ask(await open(['a.example'], { lookup }), 'a.example', 80)).toContain('"code":"ENOTFOUND"')
})

test('a closed door connects nobody whose name was still looked up', async () => {
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.on('error', () => undefined).end()
  })
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  let answer: (addresses: readonly string[]) => void = () => undefined
  let asked = false
  const lookup = (): Promise<readonly string[]> =>
    new Promise((resolve) => {
      asked = true
      answer = resolve
    })
  const door = await open(['a.example', 'private'], { lookup })
  const said = ask(door, 'a.example', port)
  await expect.poll(() => asked).toBe(true)
  await door.close()
  answer(['127.0.0.1'])
  await said.catch(() => undefined)
  // Who connects after that is the first that the server sees.
  const own = connect({ port, host: '127.0.0.1' }).resume()
  await once(own, 'close')
  expect(visits).toBe(1)
})

test('what is written before the door has answered arrives, and the question does not', async () => {
  let said = Promise.resolve('')
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    said = text(socket.on('error', () => undefined))
    socket.end('bye')
  })
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  let answer: ((addresses: readonly string[]) => void) | undefined
  const lookup = (): Promise<readonly string[]> => new Promise((resolve) => (answer = resolve))
  const door = await open(['site.example', 'private'], { lookup })
  const socket = connect({ path: join(door.folder, 'door') })
  const heard = text(socket)
  socket.write(`${JSON.stringify({ host: 'site.example', port })}\n`)
  await expect.poll(() => answer).toBeDefined()
  await new Promise((resolve) => socket.write('early', resolve))
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  answer?.(['127.0.0.1'])
  socket.end()
  expect(await heard).toMatch(/\nbye$/)
  expect(await said).toBe('early')
})

test('who asks for nothing is let go in time, and a closed door leaves nothing', async () => {
  const clock = createFakeClock()
  const door = await open('any', { clock })
  const socket = connect({ path: join(door.folder, 'door') })
  const said = text(socket)
  await expect.poll(() => clock.sleeping()).toBe(1)
  await clock.advance(10_000)
  expect(await said).toContain('"code"')
  await door.close()
  expect(existsSync(door.folder)).toBe(false)
})
