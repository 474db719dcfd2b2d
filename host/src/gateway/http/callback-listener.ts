import {
  type Call,
  type Clock,
  type HttpAdmit,
  type HttpHandler,
  type HttpHead,
  type HttpReply,
  type HttpRequest,
  type Log,
  linkSignals,
  type RouteOptions,
  withTimeLimit,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Admitted, Listener } from './http.ts'
import { createHeld } from './http-body.ts'
import { errorReply } from './http-error.ts'
import { callbackDoor, type OpenDoor, openOwnDoor } from './open-door.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'

/** The one listener that platforms with callbacks share; it opens with the first route. */
export interface CallbackListener {
  /** `owner` may put a new handler before its own old one: the newest that is not closed is called. */
  route(options: RouteRequest): Promise<{ readonly url: string; close(): void }>
  close(): Promise<void>
}

export interface RouteRequest extends RouteOptions {
  readonly owner: string
  readonly path: string
  readonly handler: HttpHandler
  readonly admit?: HttpAdmit | undefined
}

const mostBodyBytes = 1024 * 1024
/** What all bodies that are still coming hold at most. */
const mostHeldBytes = 32 * mostBodyBytes
const usualPerMinute = 120
/** Callbacks are short: who sends one more slowly is answered 408. */
const mostRequestMs = 30_000
/** A handler answers at once, or hands on what takes longer. */
const mostHandlerMs = 60_000
/** Requests of a route whose handler has not answered: each of them holds its body. */
const mostOpen = 128

interface Route {
  readonly owner: string
  readonly path: string
  readonly handler: HttpHandler
  readonly admit: HttpAdmit | undefined
  readonly limit: RateLimit
  readonly maxBodyBytes: number
  readonly isOpen: boolean
  open: number
}

export interface CallbackOptions {
  readonly host: string
  readonly port: number
  readonly clock: Clock
  readonly log: Log
  /** Absent: a listener of this gateway alone. */
  readonly openDoor?: OpenDoor | undefined
}

export function createCallbackListener({ openDoor = openOwnDoor, ...options }: CallbackOptions): CallbackListener {
  const routes = new Map<string, readonly Route[]>()
  let listener: Promise<Listener> | undefined
  const askPlugin = createAsker(options.clock)
  const admit = async (head: HttpHead, call: Call): Promise<HttpReply | Admitted> => {
    const path = head.url.split('?', 1)[0] ?? '/'
    const route = findRoute(routes, path)
    if (!route) return errorReply(fail('HTTP_NOT_FOUND', { what: `page ${path.slice(0, 200)}` }))
    const admitted =
      (route.isOpen ? refuseCrowd(route, head) : undefined) ?? (await askPlugin(route, call, async (own) => route.admit?.(head, own)))
    if (admitted && isReply(admitted)) return count(route, head, admitted)
    return {
      ...admitted,
      handler: async (request: HttpRequest, own: Call) =>
        count(route, head, await askPlugin(route, own, (timed) => route.handler(request, timed))),
      maxBodyBytes: route.maxBodyBytes,
    }
  }
  const open = async (): Promise<Listener> => {
    try {
      return await openDoor(callbackDoor, { ...options, admit, held: createHeld(mostHeldBytes), requestMs: mostRequestMs })
    } catch (error) {
      // The next route tries again: who had the port may be gone.
      listener = undefined
      throw error
    }
  }
  return {
    route: async ({ owner, path, handler, admit: own, perMinute = usualPerMinute, maxBodyBytes = mostBodyBytes, open: isOpen = false }) => {
      const others = routes.get(path) ?? []
      if (others.some((route) => route.owner !== owner)) throw fail('INTERNAL', { detail: `two platforms want the callback path ${path}` })
      const limit = createRateLimit({ clock: options.clock, perMinute })
      const route: Route = { owner, path, handler, admit: own, limit, maxBodyBytes: Math.min(maxBodyBytes, mostBodyBytes), isOpen, open: 0 }
      routes.set(path, [...others, route])
      const close = (): void => {
        const left = (routes.get(path) ?? []).filter((each) => each !== route)
        if (left.length > 0) routes.set(path, left)
        else routes.delete(path)
      }
      try {
        listener ??= open()
        const { url } = await listener
        return { url: `${url}${path.replace(/\/\*$/, '')}`, close }
      } catch (error) {
        close()
        throw error
      }
    },
    close: async () => (await listener)?.close(),
  }
}

/** Asks a plugin, which has so long: one that never answers would keep each request, and who sends it. */
function createAsker(clock: Clock): <T>(route: Route, call: Call, ask: (call: Call) => Promise<T>) => Promise<T> {
  return async (route, call, ask) => {
    if (route.open >= mostOpen) throw fail('HTTP_CROWDED', undefined, { retryAfterMs: 5_000 })
    // It outlives the answer: a body that is a stream ends with it.
    const own = linkSignals(call.signal)
    const limit = { clock, signal: call.signal, ms: mostHandlerMs, what: `The handler of ${route.path}` }
    route.open++
    try {
      return await withTimeLimit(limit, () => ask({ ...call, signal: own.signal }))
    } catch (error) {
      own.abort(error)
      throw error
    } finally {
      route.open--
    }
  }
}

/** Behind a tunnel strangers and the real sender have one address: what was proved never counts, and is never refused. */
function count(route: Route, head: HttpHead, reply: HttpReply): HttpReply {
  const isRefused = reply?.status >= 400 && reply.status < 500 && reply.status !== 429
  return (isRefused && !route.isOpen ? refuseCrowd(route, head) : undefined) ?? reply
}

function refuseCrowd({ limit, path }: Route, { remote }: HttpHead): HttpReply | undefined {
  const waitMs = limit.take(remote)
  return waitMs > 0 ? errorReply(fail('HTTP_RATE_LIMIT', { path }, { retryAfterMs: waitMs })) : undefined
}

const isReply = (admitted: object): admitted is HttpReply => 'status' in admitted

/** The route of exactly this path, else the longest one that takes what lies below it. */
function findRoute(routes: ReadonlyMap<string, readonly Route[]>, path: string): Route | undefined {
  const exact = routes.get(path)?.at(-1)
  if (exact) return exact
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = routes.get(`${path.slice(0, end)}/*`)?.at(-1)
    if (found) return found
  }
  return undefined
}
