import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { leadThroughDoor } from './child-network.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Of site.example, which vouches for itself; it opens nothing but this test. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgk25xNcqEvoj2HEjG
xSO3swIWfQcxHeLFmnpwEuI3g9ChRANCAAQD1y262a9I7PlXlY+gYMfzcTAyWh7G
KLCgJEwXPK8zhHDiwhmucJOx5Z8he2Bti0L4UrgJqrOj1UiNdcwOnINp
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBnzCCAUSgAwIBAgIUOBFp1n9b3QnfeidNcRLg9ofOu4swCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMc2l0ZS5leGFtcGxlMCAXDTI2MTEyMzIyMjM1OFoYDzIxMjYx
MDMwMjIyMzU4WjAXMRUwEwYDVQQDDAxzaXRlLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQD1y262a9I7PlXlY+gYMfzcTAyWh7GKLCgJEwXPK8zhHDi
whmucJOx5Z8he2Bti0L4UrgJqrOj1UiNdcwOnINpo2wwajAdBgNVHQ4EFgQUdsQD
JOd92/Yhnwqz4EALMijH1bowHwYDVR0jBBgwFoAUdsQDJOd92/Yhnwqz4EALMijH
1bowDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxzaXRlLmV4YW1wbGUwCgYI
KoZIzj0EAwIDSQAwRgIhAMStN2gRrQbaUtQ6uRHfzL9sMAgq01ut/id/Z380lbmg
AiEAjo+9y3seYN+lc32aM8Ai0UNSeG/516OapvBB1P3dP5I=
-----END CERTIFICATE-----`

/** As in a child, until the test ends. */
function lead(door: string | undefined): void {
  const own = { connect: net.Socket.prototype.connect, tls: tls.connect, lookup: dns.lookup, promised: dns.promises.lookup }
  leadThroughDoor(door)
  closers.push(() => {
    net.Socket.prototype.connect = own.connect
    Object.assign(tls, { connect: own.tls })
    Object.assign(dns, { lookup: own.lookup })
    Object.assign(dns.promises, { lookup: own.promised })
    syncBuiltinESMExports()
  })
}

/** A door that leads "site.example" and this machine to a greeting and an echo, and refuses all else. What was asked for is listed. */
async function openDoor(): Promise<readonly string[]> {
  const asked: string[] = []
  const door = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (line) => {
        const { host, port } = JSON.parse(line.toString()) as { host: string; port: number }
        asked.push(`${host}:${port}`)
        if (host === 'known.example') return void socket.end('{"code":"ECONNREFUSED","message":"connect ECONNREFUSED 192.0.2.7:80"}\n')
        if (host === 'other.example') return void socket.end('{"code":"EACCES","message":"not declared"}\n')
        socket.write('{"address":"192.0.2.7","port":80,"family":"IPv4"}\nhello ')
        socket.pipe(socket)
      })
  })
  closers.push(() => door.close())
  const folder = mkdtempSync(join(tmpdir(), 'led-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  await once(door.listen(join(folder, 'door')), 'listening')
  lead(join(folder, 'door'))
  return asked
}

async function talk(socket: net.Socket): Promise<string> {
  socket.end('you')
  return text(socket)
}

test('every way to connect leads through the door, and the socket says where it came to', async () => {
  const asked = await openDoor()
  let heard = 0
  const onConnect = (): void => void heard++
  expect(await talk(net.connect(80, 'site.example', onConnect))).toBe('hello you')
  expect(await talk(net.connect({ port: 81, host: 'site.example' }, onConnect))).toBe('hello you')
  expect(await talk(new net.Socket().connect(82, 'site.example', onConnect))).toBe('hello you')
  expect(await talk(net.connect(83))).toBe('hello you')
  expect([heard, asked]).toEqual([3, ['site.example:80', 'site.example:81', 'site.example:82', 'localhost:83']])
  const socket = net.connect({ port: 80, host: 'site.example' })
  const isReady = once(socket, 'ready')
  await once(socket, 'connect')
  await isReady
  expect([socket.remoteAddress, socket.remotePort, socket.connecting]).toEqual(['192.0.2.7', 80, false])
  socket.destroy()
})

test('who watches the events of a socket himself goes on watching them', async () => {
  await openDoor()
  const socket = new net.Socket()
  const seen: string[] = []
  const { emit } = socket
  const own = (event: string, ...args: unknown[]): boolean => {
    seen.push(event)
    return Reflect.apply(emit, socket, [event, ...args]) as boolean
  }
  Object.assign(socket, { emit: own })
  expect(await talk(socket.connect(80, 'site.example'))).toBe('hello you')
  expect(socket.emit).toBe(own)
  expect(seen).toContain('connect')
})

test('a name is stood for by an address, and who connects to that address asks for the name', async () => {
  const asked = await openDoor()
  const address = await new Promise<string>((resolve, reject) =>
    dns.lookup('site.example', (error, found) => (error ? reject(error) : resolve(found))),
  )
  expect(address).toMatch(/^198\.18\./)
  expect(await dns.promises.lookup('site.example')).toEqual({ address, family: 4 })
  expect(await dns.promises.lookup('site.example', { all: true })).toEqual([{ address, family: 4 }])
  expect(await talk(net.connect(80, address))).toBe('hello you')
  expect(asked).toEqual(['site.example:80'])
})

test('what the door refuses fails like a connection, and a socket of this machine is left alone', async () => {
  const asked = await openDoor()
  const refused = net.connect(80, 'other.example')
  await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'EACCES', syscall: 'connect', address: 'other.example' })
  const local = net.createServer((socket) => socket.end('local'))
  closers.push(() => local.close())
  const path = join(tmpdir(), `led-${process.pid}.sock`)
  await once(local.listen(path), 'listening')
  expect(await text(net.connect(path))).toBe('local')
  expect(asked).toEqual(['other.example:80'])
})

test('a plugin without a network is told that its manifest declares none', async () => {
  lead(undefined)
  await expect(once(net.connect(80, 'site.example'), 'connect')).rejects.toMatchObject({
    ...{ code: 'EACCES', message: expect.stringContaining('declares nothing in permissions.net') },
  })
})

test('a handshake goes through the door, and one that fails is an error of the caller', async () => {
  const asked = await openDoor()
  const secure = tls.connect({ port: 443, host: 'site.example' })
  await expect(once(secure, 'secureConnect')).rejects.toThrow()
  expect(asked).toEqual(['site.example:443'])
  expect(secure.destroyed).toBe(true)
})

/** A door that leads everybody to this server. */
async function openDoorTo(server: net.Server, options: net.ServerOpts = {}): Promise<void> {
  const door = net.createServer(options, (socket) => {
    socket
      .on('error', () => socket.destroy())
      .once('data', () => {
        socket.pause().write('{"address":"192.0.2.7","port":443,')
        // The answer comes in two pieces.
        setImmediate(() => socket.write('"family":"IPv4"}\n', () => server.emit('connection', socket)))
      })
  })
  closers.push(() => door.close())
  const folder = mkdtempSync(join(tmpdir(), 'led-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  await once(door.listen(join(folder, 'door')), 'listening')
  lead(join(folder, 'door'))
}

const large = 'x'.repeat(500_000)

test('a handshake through the door is one with the server that was named, however it is asked for', async () => {
  const server = tls.createServer({ key, cert }, (socket) => {
    socket.once('data', (data) => socket.end(`${data} from here${large}`))
  })
  await openDoorTo(server)
  const options = { ca: cert, servername: 'site.example' }
  const ways: ((listener: () => void) => tls.TLSSocket)[] = [
    (listener) => tls.connect({ port: 443, host: 'site.example', ca: cert }, listener),
    (listener) => tls.connect(443, 'site.example', options, listener),
    (listener) => tls.connect(443, options, listener),
    (listener) => tls.connect({ socket: net.connect(443, 'site.example'), ...options }, listener),
  ]
  for (const way of ways) {
    let heard = 0
    const secure = way(() => void heard++)
    let reached = 0
    secure.once('connect', () => void reached++)
    await once(secure, 'secureConnect')
    expect([secure.authorized, heard]).toEqual([true, 1])
    if (way !== ways[3])
      expect([reached, secure.remoteAddress, secure.remotePort, secure.remoteFamily]).toEqual([1, '192.0.2.7', 443, 'IPv4'])
    secure.write('hello')
    expect(await text(secure)).toBe(`hello from here${large}`)
  }
})

test('a handshake over a socket that is connected, and one over a path, are as ever', async () => {
  const server = tls.createServer({ key, cert }, (socket) => socket.end('hello'))
  await openDoorTo(server)
  const socket = net.connect(443, 'site.example')
  await once(socket, 'connect')
  expect(await text(tls.connect({ socket, ca: cert, servername: 'site.example' }))).toBe('hello')
  const path = join(mkdtempSync(join(tmpdir(), 'led-')), 'secure')
  closers.push(() => rmSync(join(path, '..'), { recursive: true }))
  const local = tls.createServer({ key, cert }, (secure) => secure.end('local'))
  closers.push(() => local.close())
  await once(local.listen(path), 'listening')
  expect(await text(tls.connect({ path, ca: cert, servername: 'site.example' }))).toBe('local')
})

test('a door that closes without a word, or is not there, fails like a connection', async () => {
  const door = net.createServer((socket) => void socket.on('error', () => undefined).end('{"addr'))
  closers.push(() => door.close())
  const folder = mkdtempSync(join(tmpdir(), 'led-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  await once(door.listen(join(folder, 'door')), 'listening')
  lead(join(folder, 'door'))
  const told = { code: 'ECONNRESET', message: 'connect ECONNRESET site.example:80: the agent closed the connection' }
  await expect(once(net.connect(80, 'site.example'), 'connect')).rejects.toMatchObject(told)
  await closers.pop()?.()
  lead(join(folder, 'none'))
  const socket = net.connect(80, 'site.example')
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(['emit', 'push'].map((name) => Object.hasOwn(socket, name))).toEqual([false, false])
})

test('what has a code in it already is said as it is', async () => {
  await openDoor()
  const [refused, known] = await Promise.all(
    ['other.example', 'known.example'].map((host) =>
      once(net.connect(80, host), 'connect').then(
        () => '',
        (error: Error) => error.message,
      ),
    ),
  )
  expect([refused, known]).toEqual(['connect EACCES other.example:80: not declared', 'connect ECONNREFUSED 192.0.2.7:80'])
})

test('all addresses of a name are one, and what was imported by its name is led as well', async () => {
  await openDoor()
  const found = await new Promise((resolve) => dns.lookup('site.example', { all: true }, (_error, all) => resolve(all)))
  expect(found).toEqual([{ address: '198.18.0.1', family: 4 }])
  expect((await import('node:tls')).connect).toBe(tls.connect)
  expect((await import('node:dns')).lookup).toBe(dns.lookup)
})

test('a wait that is asked for begins with the handshake, and who gives up closes the connection below', async () => {
  let below: net.Socket | undefined
  const server = net.createServer((socket) => (below = socket.on('error', () => undefined).resume()))
  await openDoorTo(server)
  const secure = tls.connect({ port: 443, host: 'site.example', timeout: 1234 }).on('error', () => undefined)
  expect(secure.timeout).toBe(1234)
  await expect.poll(() => below).toBeDefined()
  const closed = below && once(below, 'close')
  secure.destroy()
  await closed
})

test('who gives up closes also a socket of his that was connecting still', async () => {
  await openDoorTo(net.createServer((socket) => void socket.on('error', () => undefined).resume()))
  const socket = net.connect(443, 'site.example')
  const secure = tls.connect({ socket, ca: cert, servername: 'site.example' }).on('error', () => undefined)
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  secure.destroy()
  await closed
})

test('who does not read what is secure is sent no more than he holds', async () => {
  const much = Buffer.alloc(8_000_000)
  const server = tls.createServer({ key, cert }, (socket) => void socket.on('error', () => undefined).write(much))
  await openDoorTo(server)
  const socket = net.connect(443, 'site.example')
  const secure = tls.connect({ socket, ca: cert, servername: 'site.example' })
  await once(secure, 'secureConnect')
  let read = -1
  for (let turns = 0; turns < 500; turns++) {
    if (read !== socket.bytesRead) turns = 0
    read = socket.bytesRead
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(read).toBeLessThan(much.length)
  secure.destroy()
})

test('the end of what is secure is that of the connection below, and so is its failure', async () => {
  const server = tls.createServer({ key, cert, allowHalfOpen: true }, (socket) => void socket.on('error', () => undefined).resume())
  await openDoorTo(server, { allowHalfOpen: true })
  const open = async () => {
    const socket = net.connect(443, 'site.example')
    const secure = tls.connect({ socket, ca: cert, servername: 'site.example' })
    await once(secure, 'secureConnect')
    return { socket, secure }
  }
  const ended = await open()
  // The server goes on for its part.
  ended.secure.resume().end()
  await expect.poll(() => ended.socket.writableEnded).toBe(true)
  ended.secure.destroy()
  const cut = await open()
  const failed = once(cut.secure, 'error')
  cut.socket.destroy(new Error('cut off'))
  expect(await failed).toMatchObject([{ message: 'cut off' }])
})

test('a server that breaks off ends what was secure', async () => {
  const server = tls.createServer({ key, cert }, (socket) => {
    socket.on('error', () => undefined).once('data', () => socket.destroy())
  })
  await openDoorTo(server)
  const secure = tls.connect({ port: 443, host: 'site.example', ca: cert })
  await once(secure, 'secureConnect')
  secure.write('hello')
  expect(await text(secure).catch(() => 'broken off')).toMatch(/^(broken off)?$/)
  await expect.poll(() => secure.destroyed).toBe(true)
})

test('a socket is as Node made it once it is connected, and may connect again', async () => {
  await openDoor()
  const socket = new net.Socket()
  const own = (): readonly boolean[] => ['emit', 'push'].map((name) => Object.hasOwn(socket, name))
  for (const port of [80, 81]) {
    const connected = once(socket.connect(port, 'site.example'), 'connect')
    expect([socket.connecting, own()]).toEqual([true, [true, true]])
    await connected
    expect([socket.remoteAddress, own()]).toEqual(['192.0.2.7', [false, false]])
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
  }
})

test('a port may be a text, a path is none, and a wish for the newer addresses is heard', async () => {
  const asked = await openDoor()
  expect(await talk(new net.Socket().connect('80' as never, 'site.example' as never))).toBe('hello you')
  expect(asked).toEqual(['site.example:80'])
  const local = net.createServer((socket) => socket.end('local'))
  closers.push(() => local.close())
  const path = join(tmpdir(), `led-by-path-${process.pid}`)
  await once(local.listen(path), 'listening')
  expect(await text(new net.Socket().connect(path))).toBe('local')
  expect(asked).toHaveLength(1)
  const found = await Promise.all(
    [6, { family: 6 }, 0, 4].map((options) => dns.promises.lookup('site.example', options as never) as Promise<{ family: number }>),
  )
  expect(found.map(({ family }) => family)).toEqual([6, 6, 4, 4])
})
