import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Log, Wire } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { readLines } from './read-lines.ts'

/** Does what one kind of request asks for; the signal fires when who asked is gone. */
export type ControlMethod = (params: unknown, signal: AbortSignal) => Promise<Wire>

export type ControlMethods = Readonly<Record<string, ControlMethod>>

export interface ControlOptions {
  readonly path: string
  readonly methods: ControlMethods
  readonly log: Log
  /** How many may be connected at a time. */
  readonly mostClients?: number
  /** The longest request. */
  readonly mostBytes?: number
}

export interface ControlChannel {
  close(): Promise<void>
}

interface Request {
  readonly id: string | number
  readonly method: string
  readonly params: unknown
}

/**
 * Lets other processes of this user ask: lines of JSON `{id, method, params}`, each answered by `{id, result}` or `{id, error}`.
 * A client that does not speak like that is told so once and cut off.
 */
export async function openControl(options: ControlOptions): Promise<ControlChannel> {
  const { path, log, mostClients = 16 } = options
  const clients = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', (error) => log.debug('a client of the control channel went away', { error: String(error) }))
    clients.add(socket)
    socket.once('close', () => clients.delete(socket))
    if (clients.size > mostClients) cutOff(socket, fail('CONTROL_REQUEST', { problem: 'too many ask at the same time' }))
    else void serve(options, socket)
  })
  prepareFolder(path)
  await listen(server, path)
  return {
    close: async () => {
      for (const socket of clients) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      if (isOwnFolder(path)) rmSync(dirname(path), { recursive: true, force: true })
    },
  }
}

async function serve({ methods, mostBytes = 64 * 1024 }: ControlOptions, socket: Socket): Promise<void> {
  const gone = new AbortController()
  socket.once('close', () => gone.abort(fail('INTERRUPTED')))
  try {
    for await (const line of readLines(socket.iterator({ destroyOnReturn: false }), mostBytes)) {
      const { id, method, params } = parseRequest(line)
      socket.write(`${JSON.stringify({ id, ...(await run(methods, method, params, gone.signal)) })}\n`)
    }
  } catch (error) {
    cutOff(socket, error)
  }
}

async function run(methods: ControlMethods, name: string, params: unknown, signal: AbortSignal): Promise<object> {
  try {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!method) throw fail('CONTROL_REQUEST', { problem: `nobody knows the method ${JSON.stringify(name.slice(0, 80))}` })
    return { result: await method(params, signal) }
  } catch (error) {
    return { error: toWireError(error) }
  }
}

function parseRequest(line: string): Request {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw fail('CONTROL_REQUEST', { problem: 'a line is no JSON' }, { cause: error })
  }
  if (typeof value === 'object' && value !== null && 'id' in value && 'method' in value) {
    const { id, method } = value
    if ((typeof id === 'string' || typeof id === 'number') && typeof method === 'string')
      return { id, method, params: 'params' in value ? value.params : undefined }
  }
  throw fail('CONTROL_REQUEST', { problem: 'a line has no id and method' })
}

/** Says why, and waits for no agreement. */
function cutOff(socket: Socket, reason: unknown): void {
  socket.resume()
  socket.end(`${JSON.stringify({ id: null, error: toWireError(reason) })}\n`, () => socket.destroy())
}

/** Nobody else may enter the folder, so nobody is quicker than the socket's own permissions. */
function prepareFolder(path: string): void {
  if (!isFile(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isOwnFolder(path) && !isPrivate(statSync(dirname(path)), process.getuid?.()))
    throw fail('HOME_UNUSABLE', { path: dirname(path), reason: 'it belongs to somebody else' })
  // The home is ours, so what is left there is of a gateway that died.
  rmSync(path, { force: true })
}

/** Whether a folder is this user's, and nobody else may enter it. */
export function isPrivate({ uid, mode }: { readonly uid: number; readonly mode: number }, own: number | undefined): boolean {
  return uid === own && (mode & 0o077) === 0
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path)
  await once(server, 'listening')
  if (isFile(path)) chmodSync(path, 0o600)
}

function isFile(path: string): boolean {
  return !path.startsWith('\\\\.\\pipe\\')
}

/** True where the home's own name would have been too long. */
function isOwnFolder(path: string): boolean {
  return isFile(path) && /^agent-[0-9a-f]{16}$/.test(basename(dirname(path)))
}
