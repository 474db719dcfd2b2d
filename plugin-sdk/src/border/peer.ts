import { type AgentError, fail, fromWireError, toWireError } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'
import type { Codec } from './codec.ts'
import { Incoming } from './incoming.ts'
import type { BorderLink, Message } from './link.ts'
import { Queue } from './queue.ts'
import type { Served } from './served.ts'

export interface Peer {
  /** `onSettled` runs before anything that arrives after the answer is looked at. */
  call(to: string, args: readonly unknown[], call?: Call, onSettled?: () => void): Promise<unknown>
  note(to: string, args: readonly unknown[]): void
  stream(to: string, args: readonly unknown[], call?: Call): AsyncIterable<unknown>
  /** Ends what waits for certain names of the other side; they are told to stop. */
  abandon(concerns: (to: string) => boolean, error: AgentError): void
  /** Calls and streams of the other side that still run here. */
  busy(): number
  close(): void
  /** Resolves when the link is gone. */
  readonly closed: Promise<void>
}

export interface PeerOptions {
  readonly link: BorderLink
  readonly codec: Codec
  readonly served: Served
  /** What everything that still waits is told when the link goes away. */
  readonly gone?: (() => AgentError) | undefined
  /** Told an error without a code with which what is served failed. */
  readonly onFault?: ((error: Error) => void) | undefined
}

/** Who hears what is answered. */
interface Asker {
  result(value: unknown): void
  items(values: readonly unknown[]): void
  end(error?: AgentError): void
}

interface Waiting {
  readonly to: string
  readonly asker: Asker
  readonly signal: AbortSignal | undefined
  readonly stop: () => void
}

const ignore = (): void => undefined

/** One end of a border: calls, notes and streams in both directions over one link. */
export function openPeer(options: PeerOptions): Peer {
  return new OpenPeer(options)
}

class OpenPeer implements Peer {
  readonly closed: Promise<void>
  private readonly waiting = new Map<number, Waiting>()
  private readonly incoming: Incoming
  private readonly link: BorderLink
  private readonly codec: Codec
  private lastId = 0
  private gone: AgentError | undefined

  constructor({ link, codec, served, onFault, gone = () => fail('PLUGIN_INACTIVE', { plugin: 'The other side' }) }: PeerOptions) {
    this.link = link
    this.codec = codec
    this.incoming = new Incoming({ link, codec, served, onFault })
    this.closed = new Promise((resolve) => {
      link.start(
        (message) => this.receive(message),
        () => {
          this.gone = gone()
          for (const id of [...this.waiting.keys()]) this.settle(id)?.end(this.gone)
          this.incoming.stopAll(this.gone)
          resolve()
        },
      )
    })
  }

  call(to: string, args: readonly unknown[], call?: Call, onSettled?: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asker = onSettled ? tellFirst(onSettled, resolve, reject) : { result: resolve, items: ignore, end: reject }
      this.ask('call', to, args, call, asker)
    })
  }

  note(to: string, args: readonly unknown[]): void {
    if (!this.gone) this.link.send({ t: 'note', to, p: this.codec.encode(args, to) })
  }

  stream(to: string, args: readonly unknown[], call?: Call): AsyncIterable<unknown> {
    return { [Symbol.asyncIterator]: () => this.iterate(to, args, call) }
  }

  abandon(concerns: (to: string) => boolean, error: AgentError): void {
    for (const [id, { to }] of [...this.waiting]) {
      if (!concerns(to)) continue
      this.link.send({ t: 'stop', id })
      this.settle(id)?.end(error)
    }
  }

  busy(): number {
    return this.incoming.size
  }

  close(): void {
    this.link.close()
  }

  /** Asks, and keeps who hears the answer; answers the number of what was asked. What cannot be asked ends at once. */
  private ask(t: 'call' | 'open', to: string, args: readonly unknown[], call: Call | undefined, asker: Asker): number {
    this.lastId += 1
    const id = this.lastId
    if (this.gone) {
      asker.end(this.gone)
      return id
    }
    try {
      const p = this.codec.encode(args, to)
      const stop = (): void => this.stop(id)
      this.waiting.set(id, { to, asker, signal: call?.signal, stop })
      this.link.send(call ? { t, id, to, p, n: call.id, ms: call.deadline } : { t, id, to, p })
      call?.signal.addEventListener('abort', stop, { once: true })
      if (call?.signal.aborted) stop()
    } catch (error) {
      this.waiting.delete(id)
      asker.end(fromWireError(toWireError(error)))
    }
    return id
  }

  private stop(id: number): void {
    if (this.waiting.has(id)) this.link.send({ t: 'stop', id })
  }

  /** Who asked this; nothing more is kept for it. */
  private settle(id: number): Asker | undefined {
    const waiting = this.waiting.get(id)
    waiting?.signal?.removeEventListener('abort', waiting.stop)
    this.waiting.delete(id)
    return waiting?.asker
  }

  private iterate(to: string, args: readonly unknown[], call: Call | undefined): AsyncIterator<unknown> {
    const queue = new Queue()
    const id = this.ask('open', to, args, call, {
      result: ignore,
      items: (values) => queue.push(values),
      end: (error) => queue.finish(error),
    })
    queue.onTaken = (n) => {
      if (!this.waiting.has(id)) return
      this.link.send({ t: 'more', id, n })
      // At once: the other side works while the reader takes what is left.
      this.link.flush?.()
    }
    return {
      next: () => queue.next(),
      return: async (value) => {
        this.stop(id)
        queue.abandon()
        return { done: true, value }
      },
    }
  }

  private receive(message: Message): void {
    switch (message.t) {
      case 'ok': {
        // What cannot be read ends the link, and with it everything that still waits: this too.
        const value = this.codec.decode(message.p)
        this.settle(message.id)?.result(value)
        break
      }
      case 'items': {
        const items = this.codec.decode(message.p) as readonly unknown[]
        this.waiting.get(message.id)?.asker.items(items)
        break
      }
      case 'fail':
      case 'end': {
        const error = message.e && fromWireError(message.e)
        this.settle(message.id)?.end(error)
        break
      }
      default:
        this.incoming.receive(message)
    }
  }
}

function tellFirst(onSettled: () => void, resolve: (value: unknown) => void, reject: (error: unknown) => void): Asker {
  return {
    result: (value) => {
      onSettled()
      resolve(value)
    },
    items: ignore,
    end: (error) => {
      onSettled()
      reject(error)
    },
  }
}
