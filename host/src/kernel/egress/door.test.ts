import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test, vi } from 'vitest'
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

test('what does not answer is told as Node would', async () => {
  const port = await serve('')
  await closers.pop()?.()
  expect(await ask(await open(['localhost']), 'localhost', port)).toMatch(/"code":"ECONNREFUSED"/)
  const lookup = async (): Promise<never> =>
    Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), { code: 'ENOTFOUND' }))
  expect(await ask(await open(['a.example'], { lookup }), 'a.example', 80)).toContain('"code":"ENOTFOUND"')
})

test.each([
  ['a.example', 0],
  ['a.example', 65_536],
  ['a.example', 80.5],
  ['a.example', '80'],
  ['', 80],
  [17, 80],
  ['x'.repeat(2000), 80],
])('%j with port %j is nothing that one can ask for', async (host, port) => {
  expect(await ask(await open('any'), host, port)).toMatch(/"code":"EINVAL".*(no name with a port|too much)/)
})

test('port 65,535 is one, and a request may come in pieces, which is not too much', async () => {
  const lookup = async (): Promise<readonly string[]> => []
  const door = await open('any', { lookup })
  expect(await ask(door, 'a.example', 65_535)).toContain('its name leads to no address')
  const socket = connect({ path: join(door.folder, 'door') })
  const said = text(socket)
  const words = `${JSON.stringify({ host: 'a.example', port: 80 }).padEnd(1023)}\n`
  for (const piece of [words.slice(0, 9), words.slice(9)]) {
    await new Promise((resolve) => socket.write(piece, resolve))
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await said).toContain('its name leads to no address')
})

test('who asks for too much is told so before it ends', async () => {
  const door = await open('any')
  const socket = connect({ path: join(door.folder, 'door') })
  socket.write('x'.repeat(1025))
  expect(await text(socket)).toMatch(/"code":"EINVAL".*too much/)
})

test('a server that breaks off ends the connection of the plugin', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy()))
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const door = await open(['private'])
  const socket = connect({ path: join(door.folder, 'door'), allowHalfOpen: true }).on('error', () => undefined)
  socket.write(`${JSON.stringify({ host: '127.0.0.1', port })}\n`)
  await once(socket, 'data')
  socket.resume().write('hello')
  await once(socket, 'end')
  await expect
    .poll(() => {
      socket.write('x')
      return socket.destroyed
    })
    .toBe(true)
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

test('only its owner may enter the folder of a door', async () => {
  const { folder } = await open('any')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'door')).isSocket()).toBe(true)
})

test('words that are no request are no question', async () => {
  const door = await open('any')
  const socket = connect({ path: join(door.folder, 'door') })
  socket.write('hello\n')
  expect(await text(socket)).toMatch(/"code":"EINVAL".*no name with a port/)
})

test('a closed door closes what passes through it, on both sides', async () => {
  let outer: Socket | undefined
  const server = createServer((socket) => (outer = socket.on('error', () => undefined).resume()))
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const door = await open(['private'])
  const socket = connect({ path: join(door.folder, 'door') }).on('error', () => undefined)
  socket.write(`${JSON.stringify({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })}\n`)
  await once(socket, 'data')
  await expect.poll(() => outer).toBeDefined()
  const ended = Promise.all([once(socket.resume(), 'close'), outer && once(outer, 'close')])
  await door.close()
  await ended
})

test('each connection is told with its end, and one that is refused with the reason', async () => {
  const port = await serve('hello')
  const told: unknown[] = []
  const door = await open(['127.0.0.1'], { onConnection: (one) => told.push(one) })
  await ask(door, '127.0.0.1', port)
  await ask(door, 'other.example', 443)
  const target = { host: '127.0.0.1', port }
  await expect.poll(() => told).toHaveLength(3)
  expect(told).toEqual(
    expect.arrayContaining([
      { ...target, state: 'opened' },
      { ...target, state: 'closed', ms: expect.any(Number), bytesSent: 0, bytesReceived: 5 },
      { host: 'other.example', port: 443, state: 'refused', reason: expect.stringContaining('does not declare') },
    ]),
  )
})

test('a door is made where temporary files are, unless the name of its socket would be too long there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'door-'))
  const long = join(folder, 'deep'.repeat(25))
  mkdirSync(long)
  closers.push(() => rmSync(folder, { recursive: true }))
  closers.push(() => vi.unstubAllEnvs())
  vi.stubEnv('TMPDIR', folder)
  expect(dirname((await open('any')).folder)).toBe(folder)
  vi.stubEnv('TMPDIR', long)
  expect(dirname((await open('any')).folder)).toBe('/tmp')
})
