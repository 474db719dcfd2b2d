import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { type ChatSocketsOptions, openChatSockets } from '../../../host/src/dashboard/ws/open-chat-sockets.ts'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import type { EventFrame, PanelChanged, RpcMethod, RpcMethods, SessionEvent } from '../../../host/src/rpc/protocol.ts'
import { importSourceEntry } from '../source-entry.ts'
import { openTestHome, type TestHome } from '../test-home.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** The dashboard's chat over a plain server, for a home that lives as long as the test. */
export interface ChatStage extends AsyncDisposable {
  readonly home: TestHome
  /** Whether an agent was opened: it has a store. */
  readonly isOpened: () => boolean
  /** With a fresh ticket unless it names one, and with more of the query behind that. */
  connect(options?: {
    readonly headers?: Readonly<Record<string, string>>
    readonly ticket?: string
    readonly path?: string
    readonly query?: string
  }): ChatClient
  /** Stops the process, so to say: what was not stored is gone. */
  restart(): Promise<void>
}

export interface StageOptions extends Partial<Pick<ChatSocketsOptions, 'isLoopback' | 'most' | 'pingMs' | 'clock' | 'isolated'>> {
  readonly config?: string
  readonly environment?: Readonly<Record<string, string>>
}

export async function openChatStage(options: StageOptions = {}): Promise<ChatStage> {
  const home = openTestHome()
  home.write('config.yaml', options.config ?? 'model: { provider: offline, default: offline }\n')
  const environment = { ...home.environment, ...options.environment }
  const clients: ChatClient[] = []
  const tickets = new Set<string>()
  const open = async () => {
    const context = { installRoot, environment, signal: new AbortController().signal, note: () => undefined }
    const server = createServer()
    const sockets = openChatSockets({
      ...{ isLoopback: true, clock: systemClock, profile: 'default', isolated: false, program: [] },
      ...options,
      ...{ server, context, log: silentLog, takeTicket: (ticket: string) => (tickets.delete(ticket) ? () => true : undefined) },
      agent: { importEntry: importSourceEntry },
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        await sockets.close()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }
  let running = await open()
  return {
    home,
    isOpened: () => existsSync(join(home.home, 'state.db')),
    connect: ({ headers = {}, ticket, path = '/api/ws', query = '' } = {}) => {
      const own = `ticket-${clients.length}`
      tickets.add(own)
      const client = createClient(new WebSocket(`ws://${running.address}${path}?ticket=${ticket ?? own}${query}`, { headers }))
      clients.push(client)
      return client
    },
    restart: async () => {
      await running.close()
      running = await open()
    },
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of clients) socket.terminate()
      await running.close()
      home[Symbol.dispose]()
    },
  }
}

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

function createClient(socket: WebSocket): ChatClient {
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
