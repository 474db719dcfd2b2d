import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from './random.ts'

/** What a person said. */
export interface Said {
  readonly id: string
  readonly conversation: string
  readonly text: string
}

/** What arrived at a person. */
export interface Arrival {
  /** Id of the message that it answers. */
  readonly answers: string | undefined
  readonly conversation: string
  readonly part: number
  readonly text: string
}

/** The gateway's words, one JSON line each. */
export type FromGateway =
  | { readonly type: 'taken'; readonly id: string }
  | { readonly type: 'busy'; readonly id: string; readonly retryAfterMs: number }
  | ({ readonly type: 'send'; readonly n: number; readonly key: string } & Arrival)
  | { readonly type: 'find'; readonly n: number; readonly key: string }

/** The vendor's words. */
export type FromVendor =
  | ({ readonly type: 'message' } & Said)
  | { readonly type: 'sent'; readonly n: number; readonly id: string }
  | { readonly type: 'found'; readonly n: number; readonly id: string | null }

/** A messaging service that outlives the gateway: it offers a message until it is taken, and remembers everything that arrived. */
export interface Vendor extends AsyncDisposable {
  readonly port: number
  readonly said: readonly Said[]
  /** Ids of the messages that the gateway acknowledged. */
  readonly accepted: ReadonlySet<string>
  readonly arrivals: readonly Arrival[]
  /** How often a gateway has connected. */
  connections(): number
  /** How often a message was not taken, for want of room. */
  refusals(): number
  say(message: Said): void
  /** Breaks the connection. */
  cut(): void
  /** Breaks the connection and takes no other one, until the function that this gives is called. */
  leave(): Promise<() => Promise<void>>
}

export interface VendorOptions {
  /** A second send under the same key arrives once. */
  readonly keys: boolean
  readonly random: Random
  /** Longest pause before and after a send is written down, in milliseconds; a kill falls into either. */
  readonly pauseMs?: number
  /** Never says that a send arrived. */
  readonly silent?: boolean
  /** How many messages that were taken are offered once more at a new connection: the word that they were taken may have been lost. */
  readonly offeredAgain?: number
  /** Offers a message that was not taken again after so many milliseconds at the latest, whatever the gateway asks for. */
  readonly busyMs?: number
}

export async function openVendor(options: VendorOptions): Promise<Vendor> {
  const { keys, random, pauseMs = 60, silent = false, offeredAgain = 5, busyMs = Number.POSITIVE_INFINITY } = options
  const said: Said[] = []
  const accepted = new Set<string>()
  const arrivals: Arrival[] = []
  const ids = new Map<string, string>()
  let connections = 0
  let refusals = 0
  let live: Socket | undefined
  const working = new Set<Promise<void>>()
  const tell = (socket: Socket, words: FromVendor): void => void socket.write(`${JSON.stringify(words)}\n`)
  const receive = async (socket: Socket, { n, key, type: _, ...arrival }: Extract<FromGateway, { type: 'send' }>): Promise<void> => {
    await pause(random.between(0, pauseMs))
    // The gateway died meanwhile: half of such sends never arrive.
    if (socket.destroyed && random.next() < 0.5) return
    const known = keys ? ids.get(key) : undefined
    if (known === undefined) arrivals.push(arrival)
    const id = known ?? `p${arrivals.length}`
    ids.set(key, id)
    await pause(random.between(0, pauseMs))
    if (!silent) tell(socket, { type: 'sent', n, id })
  }
  const hear = (socket: Socket, words: FromGateway): void => {
    if (words.type === 'send') {
      const work = receive(socket, words).finally(() => working.delete(work))
      working.add(work)
    } else if (words.type === 'find') {
      // What is on its way is not there yet, and would make the answer wrong.
      void Promise.all(working).then(() => tell(socket, { type: 'found', n: words.n, id: ids.get(words.key) ?? null }))
    } else if (words.type === 'taken') accepted.add(words.id)
    else {
      refusals += 1
      const again = said.find(({ id }) => id === words.id)
      void pause(Math.min(words.retryAfterMs, busyMs)).then(() => again && tell(socket, { type: 'message', ...again }))
    }
  }
  const server = createServer((socket) => {
    connections += 1
    live = socket
    // A killed gateway resets the connection; the reader passes the error on.
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket })
      .on('line', (line) => hear(socket, JSON.parse(line) as FromGateway))
      .on('error', () => socket.destroy())
    const taken = said.filter(({ id }) => accepted.has(id))
    const again = new Set(taken.slice(Math.max(0, taken.length - offeredAgain)))
    for (const message of said) if (!accepted.has(message.id) || again.has(message)) tell(socket, { type: 'message', ...message })
  })
  const listen = async (at: number): Promise<void> => void (await once(server.listen(at, '127.0.0.1'), 'listening'))
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    live?.destroy()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    said,
    accepted,
    arrivals,
    connections: () => connections,
    refusals: () => refusals,
    say(message) {
      said.push(message)
      if (live && !live.destroyed) tell(live, { type: 'message', ...message })
    },
    cut: () => void live?.destroy(),
    async leave() {
      await close()
      return () => listen(port)
    },
    [Symbol.asyncDispose]: close,
  }
}
