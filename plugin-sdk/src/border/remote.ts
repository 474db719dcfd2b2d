import { type AgentError, fail } from '../contract/errors.ts'
import type { Call } from '../contract/wire.ts'
import { createCodec, type Json, Reference } from './codec.ts'
import { type InterfaceName, interfaces, type Member } from './interfaces.ts'
import type { BorderLink } from './link.ts'
import { openPeer, type Peer } from './peer.ts'
import type { Served } from './served.ts'

export interface RemoteOptions {
  readonly link: BorderLink
  /** What this side offers from the start, by name. */
  readonly offers?: Readonly<Record<string, { readonly as: InterfaceName; readonly object: object }>>
  /** Completes an object that arrives: its local members. `handle` is its name on the other side. */
  readonly complete?: (name: InterfaceName, proxy: object, handle: string) => object
  /** Told about an object that is handed over, before the other side knows it; answers what is served under the handle. */
  readonly hand?: (name: InterfaceName, object: object, handle: string) => object
  /** Given: a value that may not cross is told and replaced by null. Absent: it throws BORDER_VALUE. */
  readonly onViolation?: (path: string, problem: string) => void
  readonly gone?: () => AgentError
  /** Told an error without a code with which something on this side failed: its stack does not cross. */
  readonly onFault?: (error: Error) => void
}

export interface Remote {
  /** A stand-in for what the other side offers under `name`. */
  proxy(name: string, as: InterfaceName): object
  /** Offers one more object under a name that is no handle. */
  offer(name: string, as: InterfaceName, object: object): void
  /** What was handed over or offered under this name is not served any more. */
  withdraw(name: string): void
  /** The same for everything that was handed over by way of an object of the other side. */
  withdrawFor(handle: string): void
  /** Ends every call and stream that waits for what the other side offered under `name`, or gave out from it. */
  abandon(name: string, error: AgentError): void
  busy(): number
  close(): void
  readonly closed: Promise<void>
  /** Notes that came after the call that they belonged to. */
  readonly late: readonly string[]
}

interface Sharing {
  /** The object of the other side that it is handed to. */
  readonly receiver?: string | undefined
  /** The offer that it comes from. */
  readonly origin?: string
}

interface Shared {
  readonly as: InterfaceName
  readonly object: object
}

/** A member of what is shared. */
interface Found {
  readonly shared: Shared
  readonly path: string
  readonly member: Member
}

/** One side of a border that knows the plugin contract: objects with members become stand-ins, everything else is copied. */
export function openRemote(options: RemoteOptions): Remote {
  return new OpenRemote(options)
}

class OpenRemote implements Remote {
  readonly late: string[] = []
  private readonly shared = new Map<string, Shared>()
  /** Handles of this side, by the object of the other side that they were handed to. */
  private readonly handedTo = new Map<string, string[]>()
  private readonly peer: Peer
  private readonly options: RemoteOptions
  /** Contexts of the other side with their handles there. */
  private readonly arrived = new WeakMap<object, string>()
  private lastHandle = 0

  constructor(options: RemoteOptions) {
    this.options = options
    for (const [name, offer] of Object.entries(options.offers ?? {})) this.shared.set(name, offer)
    const served: Served = {
      call: (to, args, call) => this.serveCall(to, args, call),
      note: (to, args) => this.serveNote(to, args),
      stream: (to, args, call) => run(this.find(to), args, call) as AsyncIterable<unknown>,
    }
    const { link, gone, onViolation, onFault } = options
    const codec = createCodec({
      refer: (value) => (Symbol.asyncIterator in value ? (this.share('bytes', () => value) ?? undefined) : undefined),
      resolve: (data) => this.arrive(data),
      onViolation,
    })
    this.peer = openPeer({ link, codec, served, gone, onFault })
  }

  get closed(): Promise<void> {
    return this.peer.closed
  }

  busy(): number {
    return this.peer.busy()
  }

  close(): void {
    this.peer.close()
  }

  offer(name: string, as: InterfaceName, object: object): void {
    this.shared.set(name, { as, object })
  }

  withdraw(name: string): void {
    this.shared.delete(name)
  }

  withdrawFor(handle: string): void {
    for (const own of this.handedTo.get(handle) ?? []) this.shared.delete(own)
    this.handedTo.delete(handle)
  }

  abandon(name: string, error: AgentError): void {
    this.peer.abandon((to) => to.startsWith(`${name}/`) || to.startsWith(`${name}:`), error)
  }

  proxy(name: string, as: InterfaceName): object {
    return this.standIn(name, as, {}, Object.keys(interfaces[as].members))
  }

  private serveCall(to: string, args: readonly unknown[], call: Call): unknown {
    const found = this.find(to)
    const answer = run(found, args, call)
    return found.member.gives ? this.shareAnswer(found.member.gives, to, args, answer) : answer
  }

  private async shareAnswer(gives: InterfaceName, to: string, args: readonly unknown[], answer: unknown): Promise<unknown> {
    const context = args[0]
    const receiver = typeof context === 'object' && context ? this.arrived.get(context) : undefined
    return this.share(gives, await answer, { receiver, origin: to.slice(0, to.indexOf('/')) })
  }

  private serveNote(to: string, args: readonly unknown[]): void {
    if (to === 'release') this.shared.delete(String(args[0]))
    else if (this.shared.has(to.slice(0, to.indexOf('/')))) run(this.find(to), args, undefined)
    else if (this.late.length < 100) this.late.push(to.slice(0, 200))
  }

  /** `to` is `<handle>/<member>`. */
  private find(to: string): Found {
    const slash = to.indexOf('/')
    const path = to.slice(slash + 1)
    const shared = this.shared.get(to.slice(0, slash))
    const member = shared && memberOf(shared.as, path)
    if (!shared || !member) throw fail('UNSUPPORTED', { what: path, by: 'The other side' })
    return { shared, path, member }
  }

  /** Keeps an object on this side and makes the name under which it is known on the other. */
  private share(as: InterfaceName, object: unknown, { receiver, origin }: Sharing = {}): Reference | null {
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null) {
      this.options.onViolation?.(as, 'there is no object')
      return null
    }
    this.lastHandle += 1
    // What came from an offer carries its name, so that it is known what ends with it.
    const handle = origin === undefined ? String(this.lastHandle) : `${origin}:${this.lastHandle}`
    this.shared.set(handle, { as, object: this.options.hand?.(as, object, handle) ?? object })
    // The maker of a context withdraws it; bytes are withdrawn when they were read.
    if (receiver !== undefined && as !== 'bytes' && as !== 'pluginContext')
      this.handedTo.set(receiver, [...(this.handedTo.get(receiver) ?? []), handle])
    const { data = [], members } = interfaces[as]
    const given = Object.fromEntries(data.map((key) => [key, (object as Record<string, unknown>)[key]]))
    const codec = createCodec(this.options.onViolation ? { onViolation: this.options.onViolation } : {})
    return new Reference({
      handle,
      as,
      data: codec.encode(given, as).v ?? {},
      has: Object.keys(members).flatMap((key) => present(object, key)),
    })
  }

  private arrive(reference: Json): unknown {
    const { handle, as, data, has } = reference as { handle: string; as: InterfaceName; data: Record<string, Json>; has: string[] }
    if (as === 'bytes') return this.once(handle)
    return this.standIn(handle, as, data, has)
  }

  private standIn(handle: string, as: InterfaceName, data: object, has: readonly string[]): object {
    const proxy: Record<string, unknown> = { ...data }
    for (const path of has) {
      const member = memberOf(as, path)
      if (!member) continue
      const run = this.standInFor(`${handle}/${path}`, member)
      if (path === '') return run
      put(proxy, path, run)
    }
    const whole = this.options.complete?.(as, proxy, handle) ?? proxy
    if (as === 'pluginContext') this.arrived.set(whole, handle)
    return whole
  }

  private standInFor(to: string, member: Member): (...args: unknown[]) => unknown {
    return (...given) => {
      const call = isCall(given.at(-1)) ? (given.pop() as Call) : undefined
      const handed: string[] = []
      const args = member.takes ? given.map((value, index) => this.hand(value, member.takes?.[index], to, handed)) : given
      if (member.how === 'note') return this.peer.note(to, args)
      if (member.how === 'stream') return this.peer.stream(to, args, call)
      if (handed.length === 0) return this.peer.call(to, args, call)
      return this.peer.call(to, args, call, () => {
        for (const handle of handed) this.shared.delete(handle)
      })
    }
  }

  /** What crosses in place of a value; `handed` gains what is shared for as long as the call takes. */
  private hand(value: unknown, as: InterfaceName | undefined, to: string, handed: string[]): unknown {
    if (!as) return value
    const receiver = interfaces[as].perCall ? undefined : to.slice(0, to.indexOf('/'))
    const reference = this.share(as, as === 'bytes' ? () => value : value, { receiver })
    if (reference && interfaces[as].perCall) handed.push((reference.data as { handle: string }).handle)
    return reference
  }

  /** A stream that was handed over; it is forgotten on the other side when it was read. */
  private once(handle: string): AsyncIterable<unknown> {
    const { peer } = this
    let items: AsyncIterator<unknown> | undefined
    let isOver = false
    const end = <T>(result: T): T => {
      if (!isOver) peer.note('release', [handle])
      isOver = true
      return result
    }
    // No generator: its return would wait for the item that was asked for, which may never come.
    const reading: AsyncIterableIterator<unknown> = {
      [Symbol.asyncIterator]: () => reading,
      next: async () => {
        if (isOver) return { done: true, value: undefined }
        items ??= peer.stream(`${handle}/`, [])[Symbol.asyncIterator]()
        const item = await items.next().catch((error: unknown) => {
          throw end(error)
        })
        return item.done ? end(item) : item
      },
      return: async (value) => {
        const ended = items?.return?.(value)
        end(undefined)
        return (await ended) ?? { done: true, value }
      },
    }
    return reading
  }
}

function memberOf(as: InterfaceName, path: string): Member | undefined {
  const { members } = interfaces[as]
  if (Object.hasOwn(members, path)) return members[path]
  const dot = path.indexOf('.')
  return dot === -1 ? undefined : members[`${path.slice(0, dot)}.*`]
}

function run({ shared, path, member }: Found, given: readonly unknown[], call: Call | undefined): unknown {
  const { owner, method } = reach(shared.object, path)
  // The call comes after all that the member takes, also where the last of it was left out.
  const args = [...given]
  while (args.length < (member.takes?.length ?? 0)) args.push(undefined)
  if (typeof method !== 'function')
    throw fail('UNSUPPORTED', { what: path, by: `This ${shared.as === 'pluginContext' ? 'context' : shared.as}` })
  if (call && shared.as !== 'bytes') args.push(call)
  return (method as (...args: unknown[]) => unknown).apply(owner, args)
}

function reach(object: object, path: string): { readonly owner: unknown; readonly method: unknown } {
  if (path === '') return { owner: undefined, method: object }
  const dot = path.indexOf('.')
  if (dot === -1) return { owner: object, method: (object as Record<string, unknown>)[path] }
  const owner = (object as Record<string, unknown>)[path.slice(0, dot)]
  const name = path.slice(dot + 1)
  const method = typeof owner === 'object' && owner !== null ? (owner as Record<string, unknown>)[name] : undefined
  return { owner, method }
}

/** Which members of an object are there. A context is asked for none: what was not declared throws when it is used. */
function present(object: object, key: string): readonly string[] {
  if (key.endsWith('.*')) {
    const group = (object as Record<string, object | undefined>)[key.slice(0, -2)]
    return Object.keys(group ?? {}).map((name) => `${key.slice(0, -1)}${name}`)
  }
  if (key === '' || key.includes('.') || 'log' in object) return [key]
  return typeof (object as Record<string, unknown>)[key] === 'function' ? [key] : []
}

function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const dot = path.indexOf('.')
  if (dot === -1) {
    target[path] = value
    return
  }
  const group = path.slice(0, dot)
  const inner = (target[group] ?? {}) as Record<string, unknown>
  target[group] = inner
  inner[path.slice(dot + 1)] = value
}

function isCall(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'signal' in value && value.signal instanceof AbortSignal && 'deadline' in value
}
