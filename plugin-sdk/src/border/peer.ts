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

interface Waiting {
  readonly to: string
  result(value: unknown): void
  items(values: readonly unknown[]): void
  end(error?: AgentError): void
}

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
          for (const waiting of this.waiting.values()) waiting.end(this.gone)
          this.incoming.stopAll(this.gone)
          resolve()
        },
      )
    })
  }

  call(to: string, args: readonly unknown[], call?: Call, onSettled?: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (error?: AgentError): void => {
        onSettled?.()
        reject(error)
      }
      const result = (value: unknown): void => {
        onSettled?.()
        resolve(value)
      }
      const asked = this.ask('call', to, args, call, { result, items: () => undefined, end })
      if (typeof asked !== 'function') end(asked)
    })
  }

  note(to: string, args: readonly unknown[]): void {
    if (!this.gone) this.link.send({ t: 'note', to, p: this.codec.encode(args, to) })
  }

  stream(to: string, args: readonly unknown[], call?: Call): AsyncIterable<unknown> {
    return { [Symbol.asyncIterator]: () => this.iterate(to, args, call) }
  }

  abandon(concerns: (to: string) => boolean, error: AgentError): void {
    for (const [id, waiting] of [...this.waiting]) {
      if (!concerns(waiting.to)) continue
      this.link.send({ t: 'stop', id })
      waiting.end(error)
    }
  }

  busy(): number {
    return this.incoming.size
  }

  close(): void {
    this.link.close()
  }

  /** Asks, and registers who hears the answer; an error instead of the id's closer when it could not be asked. */
  private ask(
    t: 'call' | 'open',
    to: string,
    args: readonly unknown[],
    call: Call | undefined,
    waiting: Omit<Waiting, 'to'>,
  ): AgentError | Stop {
    if (this.gone) return this.gone
    this.lastId += 1
    const id = this.lastId
    const stop: Stop = () => {
      if (this.waiting.has(id)) this.link.send({ t: 'stop', id })
    }
    const settle = (): void => {
      call?.signal.removeEventListener('abort', stop)
      this.waiting.delete(id)
    }
    try {
      const about = call ? { n: call.id, ms: call.deadline } : {}
      const p = this.codec.encode(args, to)
      this.waiting.set(id, {
        to,
        result: (value) => {
          settle()
          waiting.result(value)
        },
        items: waiting.items,
        end: (error) => {
          settle()
          waiting.end(error)
        },
      })
      this.link.send({ t, id, to, p, ...about })
      call?.signal.addEventListener('abort', stop, { once: true })
      if (call?.signal.aborted) stop()
      stop.more = (n) => this.waiting.has(id) && this.link.send({ t: 'more', id, n })
      return stop
    } catch (error) {
      settle()
      return fromWireError(toWireError(error))
    }
  }

  private iterate(to: string, args: readonly unknown[], call: Call | undefined): AsyncIterator<unknown> {
    const queue = new Queue()
    const asked = this.ask('open', to, args, call, {
      result: () => undefined,
      items: (values) => queue.push(values),
      end: (error) => queue.finish(error),
    })
    if (typeof asked !== 'function') queue.finish(asked)
    else queue.onTaken = (n) => asked.more?.(n)
    return {
      next: () => queue.next(),
      return: async (value) => {
        if (typeof asked === 'function') asked()
        queue.abandon()
        return { done: true, value }
      },
    }
  }

  private receive(message: Message): void {
    if (message.t === 'ok') this.waiting.get(message.id)?.result(this.codec.decode(message.p))
    else if (message.t === 'items') this.waiting.get(message.id)?.items(this.codec.decode(message.p) as readonly unknown[])
    else if (message.t === 'fail') this.waiting.get(message.id)?.end(fromWireError(message.e))
    else if (message.t === 'end') this.waiting.get(message.id)?.end(message.e && fromWireError(message.e))
    else this.incoming.receive(message)
  }
}

interface Stop {
  (): void
  more?(n: number): void
}
