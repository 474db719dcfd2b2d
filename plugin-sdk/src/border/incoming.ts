import { type AgentError, fail, isAgentError, toWireError } from '../contract/errors.ts'
import type { Call, WireError } from '../contract/wire.ts'
import type { Codec, Json, Payload } from './codec.ts'
import type { Asked, BorderLink, Message } from './link.ts'
import { credit, creditSize, type Served, sizeOf } from './served.ts'

interface Running {
  readonly call: LazyCall
  /** Lets a producer go on that has used up its credit. */
  more(count: number): void
  /** Ends a stream whose reader went away. */
  leave(): void
}

/** Most calls never look at their signal, and making one is a good part of what a small call costs. */
class LazyCall implements Call {
  readonly id: string
  readonly deadline: number
  private controller: AbortController | undefined
  private stopped: AgentError | undefined

  constructor(id: string, deadline: number) {
    this.id = id
    this.deadline = deadline
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.stopped) this.controller.abort(this.stopped)
    return this.controller.signal
  }

  isStopped(): boolean {
    return this.stopped !== undefined
  }

  stop(reason: AgentError): void {
    this.stopped = reason
    this.controller?.abort(reason)
  }
}

const gatherAtMost = 64
/** Nobody needs so many at once; a caller that asks for more would fill the memory of this side. */
const runAtMost = 10_000

interface IncomingOptions {
  readonly link: BorderLink
  readonly codec: Codec
  readonly served: Served
  readonly onFault?: ((error: Error) => void) | undefined
}

/** The calls and streams that the other side asked for. */
export class Incoming {
  private readonly running = new Map<number, Running>()
  private readonly link: BorderLink
  private readonly codec: Codec
  private readonly served: Served
  private readonly onFault: ((error: Error) => void) | undefined

  constructor({ link, codec, served, onFault }: IncomingOptions) {
    this.onFault = onFault
    this.link = link
    this.codec = codec
    this.served = served
  }

  get size(): number {
    return this.running.size
  }

  receive(message: Message): void {
    if ((message.t === 'call' || message.t === 'open') && this.running.size >= runAtMost) {
      throw fail('BORDER_VALUE', { path: String(message.to), problem: `more than ${runAtMost} calls run at once` })
    }
    if (message.t === 'note') this.served.note(message.to, this.codec.decode(message.p) as readonly unknown[])
    else if (message.t === 'call') void this.answer(message)
    else if (message.t === 'open') void this.produce(message)
    else if (message.t === 'more') this.running.get(message.id)?.more(message.n)
    else if (message.t === 'stop') this.stop(this.running.get(message.id), fail('INTERRUPTED'))
  }

  stopAll(reason: AgentError): void {
    for (const running of this.running.values()) this.stop(running, reason)
  }

  private stop(running: Running | undefined, reason: AgentError): void {
    running?.call.stop(reason)
    running?.leave()
  }

  private begin(message: Asked): { readonly call: LazyCall; readonly running: Running } {
    const call = new LazyCall(message.n ?? String(message.id), message.ms ?? 2 ** 31 - 1)
    const running: Running = { call, more: () => undefined, leave: () => undefined }
    this.running.set(message.id, running)
    return { running, call }
  }

  private async answer(message: Asked): Promise<void> {
    const { id, to } = message
    const { call } = this.begin(message)
    try {
      const value = await this.served.call(to, this.codec.decode(message.p) as readonly unknown[], call)
      this.link.send({ t: 'ok', id, p: this.codec.encode(value, `${to}()`) })
    } catch (error) {
      this.tell((e) => this.link.send({ t: 'fail', id, e }), this.toWire(error, call))
    } finally {
      this.running.delete(id)
    }
  }

  private async produce(message: Asked): Promise<void> {
    const { id, to } = message
    const { call, running } = this.begin(message)
    const window = new Window()
    running.more = (count) => window.add(count)
    const gathered = new Gathered((p) => this.link.send({ t: 'items', id, p }))
    const where = `${to}()`
    let failure: WireError | undefined
    try {
      const iterator = this.served.stream(to, this.codec.decode(message.p) as readonly unknown[], call)[Symbol.asyncIterator]()
      running.leave = () => {
        window.open()
        // A generator that waits for something which ignores the signal never gets here: it stays listed as running.
        void iterator.return?.().catch(() => undefined)
      }
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        gathered.add(this.codec.encode(next.value, where))
        const hasRoom = window.take(sizeOf(next.value))
        // What is too large for the link fails here: its reader would never make room.
        if (!hasRoom) gathered.flush()
        if (gathered.failure) throw gathered.failure
        if (!hasRoom) await window.wait()
      }
    } catch (error) {
      failure = this.toWire(error, call)
    } finally {
      gathered.flush()
      if (gathered.failure) failure = toWireError(gathered.failure)
      this.running.delete(id)
      if (failure) this.tell((e) => this.link.send({ t: 'end', id, e }), failure)
      else this.link.send({ t: 'end', id })
    }
  }

  /** What was stopped may end with any error, which is nobody's fault. */
  private toWire(error: unknown, call: LazyCall): WireError {
    if (error instanceof Error && !isAgentError(error) && !call.isStopped()) this.onFault?.(error)
    return toWireError(error)
  }

  /** An error may repeat what it was given, and be too large to cross itself; nobody would catch what is thrown here. */
  private tell(send: (error: WireError) => void, error: WireError): void {
    try {
      send(error)
    } catch {
      send({ code: error.code, params: {} })
    }
  }
}

/** How many items the reader still has room for, and how much of them. */
class Window {
  private left = credit
  private room = creditSize
  /** Of the items that the reader has not taken, the oldest first. */
  private readonly sizes: number[] = []
  private wake: (() => void) | undefined

  /** Uses one up; false when there is no more room. */
  take(size: number): boolean {
    this.left -= 1
    this.room -= size
    this.sizes.push(size)
    return this.hasRoom()
  }

  add(count: number): void {
    this.left += count
    for (const size of this.sizes.splice(0, count)) this.room += size
    if (!this.hasRoom()) return
    this.wake?.()
    this.wake = undefined
  }

  private hasRoom(): boolean {
    return this.left > 0 && this.room > 0
  }

  open(): void {
    this.room = Number.POSITIVE_INFINITY
    this.add(Number.MAX_SAFE_INTEGER)
  }

  wait(): Promise<void> {
    return this.hasRoom()
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.wake = resolve
        })
  }
}

/** Sends the items of one turn of the event loop together. */
class Gathered {
  /** An item that the link refused; the stream ends with it. */
  failure: unknown
  private items: Json[] = []
  private timer: NodeJS.Immediate | undefined
  private readonly send: (payload: Payload) => void

  constructor(send: (payload: Payload) => void) {
    this.send = send
  }

  add({ v = null, b, x }: Payload): void {
    if (x) {
      this.flush()
      this.trySend(b ? { v: [v], b, x } : { v: [v], x })
      return
    }
    this.items.push(v)
    if (this.items.length >= gatherAtMost) this.flush()
    else this.timer ??= setImmediate(() => this.flush())
  }

  flush(): void {
    clearImmediate(this.timer)
    this.timer = undefined
    if (this.items.length === 0) return
    const v = this.items
    this.items = []
    this.trySend({ v })
  }

  /** What is too large together may still go one by one; nothing comes after an item that was refused. */
  private trySend(payload: Payload): void {
    if (this.failure !== undefined) return
    try {
      this.send(payload)
    } catch (error) {
      const items = payload.v as readonly Json[]
      if (items.length > 1) for (const item of items) this.trySend({ v: [item] })
      else this.failure = error
    }
  }
}
