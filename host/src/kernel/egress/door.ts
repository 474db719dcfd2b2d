import { lookup } from 'node:dns/promises'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, type DeclaredNet, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { listLeftFolders } from '../left-folders.ts'
import type { DoorAnswer } from './door-words.ts'
import { type IsOwnDoor, isOwnDoor } from './own-doors.ts'
import { createReach, type DoorTarget, type Reach } from './reach.ts'

export interface DoorOptions {
  /** Who calls: the plugins of one child. */
  readonly plugins: readonly string[]
  readonly net: DeclaredNet
  readonly clock: Clock
  readonly signal?: AbortSignal
  /** Addresses of a name; asks the system unless told. */
  readonly lookup?: (host: string) => Promise<readonly string[]>
  readonly isOwnDoor?: IsOwnDoor | undefined
  /** Hears of each connection. */
  readonly onConnection?: (told: ToldConnection) => void
}

/** A connection was opened, could not be opened, or has ended. */
export interface ToldConnection extends DoorTarget {
  readonly state: 'opened' | 'refused' | 'closed'
  readonly reason?: string
  /** Of one that has ended: how long it was open, and what passed. */
  readonly ms?: number
  readonly bytesSent?: number
  readonly bytesReceived?: number
}

/** The one way out of a child in a sandbox. */
export interface Door {
  /** Holds the socket and nothing else. */
  readonly folder: string
  close(): Promise<void>
}

const askedWithinMs = 10_000
const longestRequest = 1_024
/** Each takes two of the descriptors of this process. */
const connectionsAtMost = 200
/** A socket of the system has a short name. */
const longestFolder = 90

/** Opens the door of one child: it asks for a name and a port, and gets a connection or the reason why not. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const parent = tmpdir().length > longestFolder ? '/tmp' : tmpdir()
  await removeLeft(parent)
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
  chmodSync(folder, 0o700)
  const over = new AbortController()
  const reach = createReach(options.net)
  const lookup = inTurn(options.lookup ?? lookUp)
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (inner) => {
    open.add(inner)
    inner.on('error', () => inner.destroy()).on('close', () => open.delete(inner))
    void serve(inner, { ...options, reach, lookup, signal: over.signal })
  })
  server.maxConnections = connectionsAtMost
  await listen(server, join(folder, 'door'))
  return {
    folder,
    close: async () => {
      over.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const inner of open) inner.destroy()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const prefix = 'agent-door-'

/** A host that was killed could not remove its doors: nobody answers there, and its number is nobody's. */
async function removeLeft(parent: string): Promise<void> {
  await Promise.all(
    listLeftFolders(parent, prefix).map(async (name) => {
      if (await refuses(join(parent, name, 'door'))) rmSync(join(parent, name), { recursive: true, force: true })
    }),
  )
}

function refuses(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path }, () => resolve(false)).on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED'),
    )
    socket.once('connect', () => socket.destroy())
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
}

type Lookup = NonNullable<DoorOptions['lookup']>
type Serving = DoorOptions & { readonly reach: Reach; readonly lookup: Lookup; readonly signal: AbortSignal }

async function serve(inner: Socket, serving: Serving): Promise<void> {
  const { clock, signal } = serving
  const limit = { clock, signal, ms: askedWithinMs, what: 'A connection of a plugin' }
  try {
    const target = await withTimeLimit(limit, () => readTarget(inner))
    const outer = await dialAloud(target, serving)
    if (inner.destroyed) return void outer.destroy()
    passOn(inner, outer)
  } catch (error) {
    answer(inner, describe(error))
    inner.end()
  }
}

/** A reason that the caller is told, with a code as Node has for such errors. */
class Refusal extends Error {
  readonly code: string

  constructor(message: string, code = 'EACCES') {
    super(message)
    this.code = code
  }
}

function describe(error: unknown): DoorAnswer {
  const { code, message } = error as NodeJS.ErrnoException
  return { code: code ?? 'ECONNABORTED', message }
}

const answer = (inner: Socket, words: DoorAnswer): boolean => inner.write(`${JSON.stringify(words)}\n`)

function readTarget(inner: Socket): Promise<DoorTarget> {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (piece: Buffer): void => {
      text += piece.toString('latin1')
      if (text.length > longestRequest) reject(new Refusal('it asked for too much', 'EINVAL'))
      if (!text.endsWith('\n')) return
      inner.off('data', read).pause()
      const target = parseTarget(text)
      if (target) resolve(target)
      else reject(new Refusal('it asked for no name with a port', 'EINVAL'))
    }
    inner.on('data', read).once('close', () => reject(new Refusal('it was closed', 'ECONNABORTED')))
  })
}

function parseTarget(text: string): DoorTarget | undefined {
  try {
    const { host, port } = JSON.parse(text) as Record<string, unknown>
    if (typeof host !== 'string' || host === '' || typeof port !== 'number') return undefined
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
    return { host: host.toLowerCase().replace(/^\[|\]$|\.$/g, ''), port }
  } catch {
    return undefined
  }
}

/** Dials, and tells how that and the connection end. */
async function dialAloud(target: DoorTarget, serving: Serving): Promise<Socket> {
  const { clock, onConnection = () => undefined } = serving
  try {
    const outer = await dial(target, serving)
    const openedAt = clock.now()
    onConnection({ ...target, state: 'opened' })
    outer.once('close', () => {
      const { bytesWritten: bytesSent, bytesRead: bytesReceived } = outer
      onConnection({ ...target, state: 'closed', ms: clock.now() - openedAt, bytesSent, bytesReceived })
    })
    return outer
  } catch (error) {
    onConnection({ ...target, state: 'refused', reason: detailOf(error) })
    throw error
  }
}

/** Looks a name up once, and connects to an address of that answer: nobody can give another one in between. */
async function dial(target: DoorTarget, { plugins, reach, lookup, signal, ...options }: Serving): Promise<Socket> {
  const refuse = (reason: string): never => {
    throw new Refusal(`${plugins.join(', ')} may not connect to ${target.host}:${target.port}: ${reason}`)
  }
  const named = reach.refuseName(target)
  if (named !== undefined) refuse(named)
  const found = isIP(target.host) ? [target.host] : await lookup(target.host)
  const refused = found.map((address) => reach.refuseAddress(target, address))
  const addresses = found.filter((_, index) => refused[index] === undefined)
  if (addresses.length === 0) refuse(refused[0] ?? 'its name leads to no address')
  for (const address of addresses) {
    if (await (options.isOwnDoor ?? isOwnDoor)(address, target.port))
      refuse('this is a door of the agent itself, which is closed to plugins')
  }
  signal.throwIfAborted()
  return connectTo(addresses, target, signal)
}

/** One name after the other: names that nobody answers would else take every thread with which this process looks up its own. */
function inTurn(look: Lookup): Lookup {
  let before: Promise<unknown> = Promise.resolve()
  return (host) => {
    const found = before.then(() => look(host))
    before = found.catch(() => undefined)
    return found
  }
}

async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function connectTo(addresses: readonly string[], { host, port }: DoorTarget, signal: AbortSignal): Promise<Socket> {
  const known = addresses.map((address) => ({ address, family: isIP(address) }))
  return new Promise((resolve, reject) => {
    const outer = connect({
      ...{ host, port, allowHalfOpen: true, noDelay: true, keepAlive: true, signal },
      // The answer that was judged, whatever the name leads to by now.
      lookup: (_host, { all }, done) => {
        if (all) done(null, known)
        else done(null, known[0]?.address ?? '', known[0]?.family)
      },
    })
    outer.once('error', reject).once('connect', () => {
      outer.off('error', reject)
      resolve(outer)
    })
  })
}

/** From now on everything passes, and either end closes both. */
function passOn(inner: Socket, outer: Socket): void {
  answer(inner, { address: outer.remoteAddress ?? '', port: outer.remotePort ?? 0, family: outer.remoteFamily ?? 'IPv4' })
  outer.on('error', () => outer.destroy()).on('close', () => closeAfterWriting(inner))
  inner.on('close', () => closeAfterWriting(outer))
  inner.pipe(outer)
  outer.pipe(inner)
}

function closeAfterWriting(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.once('finish', () => socket.destroy())
  else socket.destroy()
}
