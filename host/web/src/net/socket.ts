import type { EventFrame, PanelChanged, RpcMethod, RpcMethods } from '../../../src/rpc/protocol.ts'

/** `refused`: the server does not serve the address that the page was opened at, and never will. */
export type Link = 'connecting' | 'open' | 'lost' | 'refused'

export interface RpcSocket {
  call<M extends RpcMethod>(method: M, params: RpcMethods[M]['params']): Promise<RpcMethods[M]['result']>
  onEvent(listener: (frame: EventFrame) => void): () => void
  onPanelChanged(listener: (changed: PanelChanged) => void): () => void
  onLink(listener: () => void): () => void
  readonly link: () => Link
  close(): void
}

/** The part of a WebSocket that is used here. */
export type Wire = Pick<WebSocket, 'send' | 'close' | 'onopen' | 'onmessage' | 'onclose'>

export interface SocketOptions {
  /** A fresh address with a ticket: one ticket opens one connection. */
  readonly address: () => Promise<string>
  readonly connect: (address: string) => Wire
  /** Runs `next` after some time; the answer calls it off. */
  readonly later: (next: () => void, milliseconds: number) => () => void
}

/** An error that the other side reported, with the code of the error table. */
export class RpcFailure extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

const waits = [250, 500, 1000, 2000, 4000, 8000]
const lostText = 'The connection to the dashboard was lost. It is being opened again; nothing of the conversation is lost.'

export const refusedText =
  'The dashboard does not serve this address. Open it at the address that "agent dashboard --status" names. Where a proxy shows it here, set dashboard.public_url to this address and start the dashboard again.'
/** The close code for an address that is not the dashboard's. */
const foreign = 4403

interface Waiting {
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

/** Keeps one connection open and opens it again after each loss. Calls that were under way then fail; the events are asked for again. */
export function openSocket({ address, connect, later }: SocketOptions): RpcSocket {
  const events = new Set<(frame: EventFrame) => void>()
  const panels = new Set<(changed: PanelChanged) => void>()
  const links = new Set<() => void>()
  const waiting = new Map<number, Waiting>()
  let wire: Wire | undefined
  let link: Link = 'connecting'
  let count = 0
  let tries = 0
  let closed = false
  let callOff = () => {}

  const setLink = (next: Link) => {
    if (link === next) return
    link = next
    for (const listener of links) listener()
  }
  const failure = () => (link === 'refused' ? new RpcFailure(refusedText, 'REFUSED') : new RpcFailure(lostText, 'DISCONNECTED'))
  const lose = (code?: number) => {
    wire = undefined
    if (!closed) setLink(code === foreign ? 'refused' : 'lost')
    for (const { reject } of waiting.values()) reject(failure())
    waiting.clear()
    if (closed || link === 'refused') return
    callOff = later(open, waits[Math.min(tries++, waits.length - 1)] ?? 8000)
  }
  const open = () => {
    address().then(
      (target) => {
        if (closed) return
        const fresh = connect(target)
        wire = fresh
        fresh.onopen = () => {
          tries = 0
          setLink('open')
        }
        fresh.onmessage = ({ data }) => receive(String(data), { waiting, events, panels })
        fresh.onclose = ({ code }) => (wire === fresh ? lose(code) : undefined)
      },
      () => lose(),
    )
  }
  open()
  return {
    link: () => link,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (wire === undefined || link !== 'open') return reject(failure())
        const id = ++count
        waiting.set(id, { resolve, reject })
        wire.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      }),
    onEvent: (listener) => subscribe(events, listener),
    onPanelChanged: (listener) => subscribe(panels, listener),
    onLink: (listener) => subscribe(links, listener),
    close() {
      closed = true
      callOff()
      wire?.close()
      lose()
    },
  }
}

/** Resolves when the first connection is open or cannot be had. */
export function untilConnected({ link, onLink }: Pick<RpcSocket, 'link' | 'onLink'>): Promise<void> {
  return new Promise((resolve) => {
    if (link() !== 'connecting') return resolve()
    const stop = onLink(() => {
      stop()
      resolve()
    })
  })
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What our own server sends, by the shapes of JSON-RPC. */
interface Incoming {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } }
}

interface Listening {
  readonly waiting: Map<number, Waiting>
  readonly events: ReadonlySet<(frame: EventFrame) => void>
  readonly panels: ReadonlySet<(changed: PanelChanged) => void>
}

function receive(text: string, { waiting, events, panels }: Listening): void {
  const incoming: Incoming = JSON.parse(text)
  if (incoming.method === 'event') for (const listener of events) listener(incoming.params as EventFrame)
  if (incoming.method === 'panel.changed') for (const listener of panels) listener(incoming.params as PanelChanged)
  const call = waiting.get(incoming.id ?? -1)
  if (call === undefined) return
  waiting.delete(incoming.id ?? -1)
  if (incoming.error) call.reject(new RpcFailure(incoming.error.message, incoming.error.data?.code ?? ''))
  // The method's entry of RpcMethods says what this is; the server is checked against it.
  else call.resolve(incoming.result as never)
}
