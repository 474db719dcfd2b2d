import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpReply, HttpRequest } from '../../contract/context.ts'
import { createSocketDoor, type FakeSocket } from './fake-socket.ts'
import { openTestListener, readRequest, writeReply } from './http-exchange.ts'

/** What goes wrong with the next answer. */
export type Fault =
  /** The connection is closed before a byte of the answer. */
  | { readonly type: 'drop' }
  /** The request is taken and never answered. */
  | { readonly type: 'half-open' }
  /** The answer waits until `release` is called, or so long. */
  | { readonly type: 'delay'; readonly ms?: number }
  | { readonly type: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Bytes that are not HTTP. */
  | { readonly type: 'garbage' }
  /** The connection breaks after so many bytes of the body. */
  | { readonly type: 'cut'; readonly bytes: number }

/** An HTTP server on loopback that does what a test tells it. */
export interface FakeServer {
  readonly url: string
  /** Every request that came, in order; also those that a fault answered. */
  readonly journal: readonly HttpRequest[]
  /** Faults for the next requests, one each. */
  breakNext(...faults: readonly Fault[]): void
  /** Faults for the next requests that match, one each. */
  breakOn(match: (request: HttpRequest) => boolean, ...faults: readonly Fault[]): void
  /** Lets everything go on that a delay holds. */
  release(): void
  /** Takes everything and answers nothing, on sockets too, until `thaw`; what came meanwhile is never answered. */
  freeze(): void
  /** Ends `freeze`, and forgets every fault that has not happened yet. */
  thaw(): void
  /** WebSockets that are open now. */
  sockets(): readonly FakeSocket[]
  /** Breaks every connection that is open now. */
  cut(): void
  [Symbol.asyncDispose](): Promise<void>
}

/** What a fake server does beside answering. */
export interface FakeServerOptions {
  /** Takes WebSockets; without it they are answered 404. */
  readonly socket?: (socket: FakeSocket) => void
  /** The status with which a WebSocket is refused; undefined lets it in. */
  readonly refuseSocket?: (request: IncomingMessage) => number | undefined
}

/** An HTTP server on loopback that answers as told and fails as told. */
export async function openFakeServer(
  answer: (request: HttpRequest) => HttpReply | Promise<HttpReply>,
  { socket, refuseSocket = () => undefined }: FakeServerOptions = {},
): Promise<FakeServer> {
  const journal: HttpRequest[] = []
  const faults: { readonly match: (request: HttpRequest) => boolean; readonly fault: Fault }[] = []
  let frozen = false
  const takeFault = (request: HttpRequest): Fault | undefined => {
    const index = faults.findIndex(({ match }) => match(request))
    return index === -1 ? undefined : faults.splice(index, 1)[0]?.fault
  }
  const held: (() => void)[] = []
  const hold = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      held.push(resolve)
      if (ms !== undefined) setTimeout(resolve, ms).unref()
    })
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming)
    journal.push(request)
    if (frozen) return
    const fault = takeFault(request)
    if (fault && fault.type !== 'delay' && fault.type !== 'cut') return breakAnswer(incoming, response, fault)
    if (fault?.type === 'delay') await hold(fault.ms)
    // Who went away meanwhile is not served any more.
    if (fault?.type === 'delay' && response.destroyed) return
    await writeReply(response, await answer(request), fault?.type === 'cut' ? fault.bytes : undefined)
  }
  const door = createSocketDoor(
    (one) => socket?.(one),
    (request) => (socket ? refuseSocket(request) : 404),
  )
  const listener = await openTestListener({ upgrade: door.upgrade }, handle)
  return {
    url: listener.url,
    journal,
    breakNext: (...next) => void faults.push(...next.map((fault) => ({ match: () => true, fault }))),
    breakOn: (match, ...next) => void faults.push(...next.map((fault) => ({ match, fault }))),
    freeze: () => {
      frozen = true
      for (const one of door.open) one.halfOpen()
    },
    thaw: () => {
      frozen = false
      faults.length = 0
    },
    release: () => {
      for (const go of held.splice(0)) go()
    },
    sockets: () => [...door.open],
    cut: () => {
      for (const one of door.open) one.cut()
      listener.cut()
    },
    [Symbol.asyncDispose]: async () => {
      door.close()
      await listener.close()
    },
  }
}

function breakAnswer(incoming: IncomingMessage, response: ServerResponse, fault: Exclude<Fault, { type: 'delay' | 'cut' }>): void {
  if (fault.type === 'drop') incoming.socket.destroy()
  else if (fault.type === 'garbage') incoming.socket.end('\u0000\u0001 this is not HTTP\r\n\r\n')
  else if (fault.type === 'status') response.writeHead(fault.status, fault.headers ?? {}).end(fault.body ?? '')
}
