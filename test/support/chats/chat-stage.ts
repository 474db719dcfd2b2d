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
import { importSourceEntry } from '../source-entry.ts'
import { openTestHome, type TestHome } from '../test-home.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'

export type { ChatClient } from './chat-client.ts'

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
      const client = createChatClient(new WebSocket(`ws://${running.address}${path}?ticket=${ticket ?? own}${query}`, { headers }))
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
