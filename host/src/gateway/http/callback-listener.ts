import type { Clock, HttpHandler, Log, RouteOptions } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Listener, openListener } from './http.ts'
import { errorReply } from './http-error.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'

/** The one listener that platforms with callbacks share; it opens with the first route. */
export interface CallbackListener {
  /** `owner` may put a new handler before its own old one: the newest that is not closed is called. */
  route(owner: string, path: string, handler: HttpHandler, options?: RouteOptions): Promise<{ readonly url: string; close(): void }>
  close(): Promise<void>
}

const mostBodyBytes = 1024 * 1024
const usualPerMinute = 120
/** Callbacks are short: who sends one more slowly is answered 408. */
const mostRequestMs = 30_000

interface Route {
  readonly owner: string
  readonly handler: HttpHandler
  readonly limit: RateLimit
  readonly maxBodyBytes: number
}

export function createCallbackListener(options: { host: string; port: number; clock: Clock; log: Log }): CallbackListener {
  const routes = new Map<string, readonly Route[]>()
  let listener: Promise<Listener> | undefined
  const handler: HttpHandler = async (request, call) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const route = findRoute(routes, path)
    if (!route) return errorReply(fail('HTTP_NOT_FOUND', { what: `page ${path}` }))
    const waitMs = route.limit.take(request.remote)
    if (waitMs > 0) return errorReply(fail('HTTP_RATE_LIMIT', { path }, { retryAfterMs: waitMs }))
    if (request.body.length > route.maxBodyBytes) return errorReply(fail('HTTP_BODY_TOO_LARGE', { limit: route.maxBodyBytes }))
    return route.handler(request, call)
  }
  return {
    route: async (owner, path, own, { perMinute = usualPerMinute, maxBodyBytes = mostBodyBytes } = {}) => {
      const others = routes.get(path) ?? []
      if (others.some((route) => route.owner !== owner)) throw fail('INTERNAL', { detail: `two platforms want the callback path ${path}` })
      const limit = createRateLimit({ clock: options.clock, perMinute })
      const route: Route = { owner, handler: own, limit, maxBodyBytes: Math.min(maxBodyBytes, mostBodyBytes) }
      routes.set(path, [...others, route])
      const close = (): void => {
        const left = (routes.get(path) ?? []).filter((each) => each !== route)
        if (left.length > 0) routes.set(path, left)
        else routes.delete(path)
      }
      listener ??= openListener({ ...options, maxBodyBytes: mostBodyBytes, requestMs: mostRequestMs, handler })
      const { url } = await listener
      return { url: `${url}${path.replace(/\/\*$/, '')}`, close }
    },
    close: async () => (await listener)?.close(),
  }
}

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
