import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AgentError } from '@agent/plugin-sdk/errors'

/** The network addresses that a web address leads to; rejects where it may not be asked. */
export type Resolve = (url: string) => Promise<readonly string[]>

/** The one way out of the browser. */
export interface AddressProxy {
  readonly port: number
  /** Why the last request to the host of this address was refused; undefined where none was. */
  refusalOf(url: string): AgentError | undefined
  close(): Promise<void>
}

const keptRefusals = 200

/**
 * Takes every request of the browser on a port of this machine, also redirects and what frames, workers and sockets ask for, looks the name up,
 * and connects to an address that was checked: a name that leads elsewhere a moment later leads nowhere.
 */
export async function openAddressProxy(resolve: Resolve): Promise<AddressProxy> {
  const refusals = new Map<string, AgentError>()
  const sockets = new Set<Duplex>()
  const keep = (socket: Duplex): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  }
  const addressesOf = async (url: URL): Promise<readonly string[]> => {
    try {
      const addresses = await resolve(url.href)
      refusals.delete(url.host)
      return addresses
    } catch (error) {
      if (error instanceof AgentError) {
        refusals.delete(url.host)
        refusals.set(url.host, error)
        const [oldest] = refusals.keys()
        if (refusals.size > keptRefusals && oldest !== undefined) refusals.delete(oldest)
      }
      throw error
    }
  }
  const server = createServer((incoming, response) => {
    passOn(incoming, response, addressesOf).catch(() => response.destroy())
  })
  server.on('connection', keep)
  server.on('connect', (incoming, socket, head) => {
    tunnel(incoming, { socket, head }, addressesOf, keep).catch(() => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(0, '127.0.0.1', done)
  })
  return {
    port: (server.address() as AddressInfo).port,
    refusalOf: (url) => (URL.canParse(url) ? refusals.get(new URL(url).host) : undefined),
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

type AddressesOf = (url: URL) => Promise<readonly string[]>

/** A request without encryption, which names its whole address. */
async function passOn(incoming: IncomingMessage, response: ServerResponse, addressesOf: AddressesOf): Promise<void> {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined
  if (url?.protocol !== 'http:') return void response.writeHead(400).end()
  const addresses = await addressesOf(url).catch((error: unknown) => {
    response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(error instanceof AgentError ? error.message : '')
  })
  if (!addresses) return
  const outgoing = request({
    ...{ host: hostOf(url), port: url.port || 80, method: incoming.method, path: `${url.pathname}${url.search}` },
    ...{ headers: withoutHops(incoming), lookup: lookupOf(addresses), setHost: false, agent: false },
  })
  const fail = (): void => void (response.headersSent ? response.destroy() : response.writeHead(502).end())
  outgoing.once('response', (answer) => {
    answer.on('error', () => response.destroy())
    try {
      // It throws for a status, or for a header, that no answer may have.
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer))
      answer.pipe(response)
    } catch {
      fail()
      outgoing.destroy()
    }
  })
  outgoing.on('error', fail)
  outgoing.once('close', () => {
    if (!response.headersSent) fail()
  })
  response.once('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

interface TunnelEnd {
  readonly socket: Duplex
  readonly head: Buffer
}

/** A connection whose content nobody here sees: an encrypted one, or that of a web socket. */
async function tunnel(
  { url: target = '' }: IncomingMessage,
  { socket, head }: TunnelEnd,
  addressesOf: AddressesOf,
  keep: (socket: Socket) => void,
): Promise<void> {
  const url = URL.canParse(`https://${target}`) ? new URL(`https://${target}`) : undefined
  if (url?.pathname !== '/') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  const addresses = await addressesOf(url)
  const far = connect({ host: hostOf(url), port: Number(url.port || 443), lookup: lookupOf(addresses) })
  keep(far)
  far.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) far.write(head)
    far.pipe(socket)
    socket.pipe(far)
  })
  far.once('close', () => socket.destroy())
  socket.once('close', () => far.destroy())
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** Answers what was looked up already. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, answer) => {
    const [first] = found
    if (options.all === true) answer(null, found)
    else if (first) answer(null, first.address, first.family)
    else answer(new Error('no address'), '', 0)
  }
}

const hops = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'upgrade',
])

/** Raw names and values, without those that concern this connection alone. */
function withoutHops({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!hops.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}
