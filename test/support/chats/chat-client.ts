import { once } from 'node:events'
import type { WebSocket } from 'ws'
import type { EventFrame, PanelChanged, RpcMethod, RpcMethods, SessionEvent } from '../../../host/src/rpc/protocol.ts'

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: { readonly code: string }
}

export interface ChatClient {
  readonly socket: WebSocket
  readonly frames: EventFrame[]
  /** Panels of which it was told that they show something else now. */
  readonly changed: string[]
  readonly events: () => readonly SessionEvent[]
  call<Name extends RpcMethod>(method: Name, params: RpcMethods[Name]['params']): Promise<RpcMethods[Name]['result']>
  /** The error that comes of it. */
  fails(method: string, params: unknown): Promise<RpcError>
  /** The first event for which this holds, among those that came and will come. */
  until(is: (event: SessionEvent) => boolean): Promise<SessionEvent>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: RpcError
}

/** Speaks as the page does. */
export function createChatClient(socket: WebSocket): ChatClient {
  const frames: EventFrame[] = []
  const changed: string[] = []
  const waiting = new Map<number, (answer: Answer) => void>()
  const watching = new Set<(event: SessionEvent) => void>()
  const opened = once(socket, 'open')
  opened.catch(() => undefined)
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    const answer = JSON.parse(data.toString()) as Answer
    if (answer.method === 'event') {
      const frame = answer.params as EventFrame
      frames.push(frame)
      for (const look of watching) look(frame.event)
    } else if (answer.method === 'panel.changed') changed.push((answer.params as PanelChanged).panel)
    else waiting.get(answer.id ?? -1)?.(answer)
  })
  let count = 0
  const ask = async (method: string, params: unknown): Promise<Answer> => {
    await opened
    const id = ++count
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answer
  }
  return {
    ...{ socket, frames, changed, closed },
    events: () => frames.map(({ event }) => event),
    call: async (method, params) => {
      const { result, error } = await ask(method, params)
      if (error) throw new Error(`${method}: ${error.message}`)
      return result as never
    },
    fails: async (method, params) => {
      const { error } = await ask(method, params)
      if (!error) throw new Error(`${method} did not fail`)
      return error
    },
    until: (is) =>
      new Promise((resolve) => {
        const found = frames.find(({ event }) => is(event))
        if (found) return resolve(found.event)
        const look = (event: SessionEvent): void => {
          if (!is(event)) return
          watching.delete(look)
          resolve(event)
        }
        watching.add(look)
      }),
  }
}
