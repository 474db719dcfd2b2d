import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'
import { createMadeUpNames, type MadeUpNames } from './made-up-names.ts'

/**
 * Leads what a plugin connects to through the door of the host. It runs in the child before any plugin, and is a convenience and no
 * guard: a child in its sandbox has no other network, whatever its plugins do to these functions.
 */
export function leadThroughDoor(door: string | undefined): void {
  const names = createMadeUpNames()
  const connect = net.Socket.prototype.connect as (this: net.Socket, ...args: unknown[]) => net.Socket
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const { options, listener } = readArguments(args)
    if (options.path) return connect.apply(this, args)
    if (listener) this.once('connect', listener)
    const target = { host: names.nameOf(String(options.host ?? 'localhost')), port: Number(options.port) }
    if (door === undefined) return refuse(this, target)
    meetDoor(this, target)
    return connect.call(this, { path: door })
  } as typeof net.Socket.prototype.connect
  replaceTls()
  replaceLookup(names)
  syncBuiltinESMExports()
}

interface CalledTarget {
  readonly host: string
  readonly port: number
}

interface ConnectOptions {
  readonly host?: unknown
  readonly port?: unknown
  readonly path?: unknown
}

type Listener = () => void

/** `connect` takes options, a path, or a port with a name; what Node has sorted already comes as one list. */
function readArguments(args: readonly unknown[]): { readonly options: ConnectOptions; readonly listener: Listener | undefined } {
  const words = Array.isArray(args[0]) ? (args[0] as readonly unknown[]) : args
  const [first, second] = words
  const listener = words.findLast((each): each is Listener => typeof each === 'function')
  if (typeof first === 'object' && first !== null) return { options: first, listener }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { options: { path: first }, listener }
  return { options: { port: first, ...(typeof second === 'string' && { host: second }) }, listener }
}

function refuse(socket: net.Socket, target: CalledTarget): net.Socket {
  const message = 'this plugin has no network: its manifest declares nothing in permissions.net'
  process.nextTick(() => socket.destroy(errorOf('EACCES', message, target)))
  return socket
}

function errorOf(code: string, message: string, { host, port }: CalledTarget): Error {
  const words = message.includes(code) ? message : `connect ${code} ${host}:${port}: ${message}`
  return Object.assign(new Error(words), { code, syscall: 'connect', address: host, port })
}

/** What of a stream plugins do not see, but those who make streams do. */
interface Inside {
  emit: (event: string, ...args: unknown[]) => boolean
  push: (chunk: Buffer | null) => boolean
  connecting: boolean
  _read(size: number): void
  _write(chunk: string, encoding: string, done: (error?: Error | null) => void): void
}

/** Asks the door once the socket has reached it; nobody hears that it is connected, and nothing else is written, before the door has answered. */
function meetDoor(socket: net.Socket, target: CalledTarget): void {
  const inside = socket as unknown as Inside
  const { emit, push } = inside
  const ownEmit = Object.hasOwn(inside, 'emit')
  const ownPush = Object.hasOwn(inside, 'push')
  const restore = (): void => {
    if (ownEmit) inside.emit = emit
    else Reflect.deleteProperty(inside, 'emit')
    if (ownPush) inside.push = push
    else Reflect.deleteProperty(inside, 'push')
  }
  let answer = Buffer.alloc(0)
  inside.push = (chunk) => {
    answer = chunk === null ? answer : Buffer.concat([answer, chunk])
    const end = answer.indexOf(10)
    if (end < 0 && chunk !== null) return true
    restore()
    const words = end < 0 ? { code: 'ECONNRESET', message: 'the agent closed the connection' } : JSON.parse(answer.toString('utf8', 0, end))
    inside.connecting = false
    if (words.code !== undefined) {
      socket.destroy(errorOf(words.code, words.message, target))
      return false
    }
    tellAddress(socket, words)
    const rest = answer.subarray(end + 1)
    inside.push(rest)
    socket.emit('connect')
    socket.emit('ready')
    return true
  }
  inside.emit = (event, ...args) => {
    if (event === 'close' || event === 'error') restore()
    if (event !== 'connect' && event !== 'ready') return emit.call(socket, event, ...args)
    if (event === 'connect') {
      inside._write(`${JSON.stringify(target)}\n`, 'utf8', () => undefined)
      // Reading begins; from here on it looks as if it were connecting still.
      inside._read(0)
      inside.connecting = true
    }
    return true
  }
}

/** Where the connection of the host leads to. */
function tellAddress(socket: net.Socket, words: { readonly address: string; readonly port: number; readonly family: string }): void {
  const value = (of: unknown): PropertyDescriptor => ({ value: of, configurable: true })
  Object.defineProperties(socket, {
    remoteAddress: value(words.address),
    remotePort: value(words.port),
    remoteFamily: value(words.family),
  })
}

function replaceTls(): void {
  const connect = tls.connect as (options: tls.ConnectionOptions, listener?: Listener) => tls.TLSSocket
  const replaced = (...args: unknown[]): tls.TLSSocket => {
    const { options, listener } = readTlsArguments(args)
    if (options.path) return connect(options, listener)
    const given = options.socket as net.Socket | undefined
    if (given !== undefined) return connect(given.connecting ? { ...options, socket: bridge(given) } : options, listener)
    // Before the handshake begins: what is written to a socket that connects already waits.
    const raw = new net.Socket().connect({ host: options.host ?? 'localhost', port: options.port ?? 0 })
    const secure = connect({ ...options, socket: bridge(raw) }, listener)
    if (options.timeout) secure.setTimeout(options.timeout)
    raw.once('connect', () => {
      tellAddress(secure, { address: raw.remoteAddress ?? '', port: raw.remotePort ?? 0, family: raw.remoteFamily ?? '' })
      secure.emit('connect')
      secure.emit('ready')
    })
    return secure
  }
  Object.assign(tls, { connect: replaced })
}

function readTlsArguments(args: readonly unknown[]): { readonly options: tls.ConnectionOptions; readonly listener: Listener | undefined } {
  const { options, listener } = readArguments(args)
  const more = args.filter((each): each is object => typeof each === 'object' && each !== null && each !== options)
  return { options: Object.assign({}, options, ...more), listener }
}

/** A stream around a socket: TLS that gets the socket itself would take the answer of the door for its own. */
function bridge(raw: net.Socket): Duplex {
  const stream = new Duplex({
    allowHalfOpen: true,
    read: () => void raw.resume(),
    write: (chunk: Buffer, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy: (error, done) => {
      raw.destroy()
      done(error)
    },
  })
  raw.on('data', (chunk) => {
    if (!stream.push(chunk)) raw.pause()
  })
  raw.on('end', () => stream.push(null))
  raw.on('error', (error) => stream.destroy(error))
  raw.on('close', () => stream.destroy())
  return stream
}

type Found = (error: Error | null, address: unknown, family?: number) => void

/** A name gets an address that stands for it in this process; the host looks up what it leads to. */
function replaceLookup(names: MadeUpNames): void {
  const find = (name: string, options: unknown): ReturnType<MadeUpNames['addressOf']> => {
    const wanted = typeof options === 'number' ? options : Number((options as { family?: unknown } | undefined)?.family ?? 0)
    return names.addressOf(name, wanted === 6 ? 6 : 4)
  }
  const wantsAll = (options: unknown): boolean => (options as { all?: unknown } | undefined)?.all === true
  const lookup = (name: string, options: unknown, done?: Found): void => {
    const tell = (typeof options === 'function' ? options : done) as Found
    const found = find(name, options)
    process.nextTick(() => (wantsAll(options) ? tell(null, [found]) : tell(null, found.address, found.family)))
  }
  const promised = async (name: string, options?: unknown): Promise<unknown> =>
    wantsAll(options) ? [find(name, options)] : find(name, options)
  Object.assign(dns, { lookup })
  Object.assign(dns.promises, { lookup: promised })
}
