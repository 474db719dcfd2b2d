import type { Accepted, Clock, HttpAdmit, HttpHandler, HttpReply, HttpRequest, InboundMessage, Log } from '@agent/plugin-sdk'
import { createAllowance } from './allowance.ts'
import type { Coalescer } from './coalesce.ts'
import { createMessage, type Delivery, readText } from './inbound.ts'
import { fillTemplate } from './payload.ts'
import { createReplays } from './replays.ts'
import { busy, reply, retryAfter } from './reply.ts'
import type { Route } from './settings.ts'
import { findMark, findProof, mayProve, type SchemeName } from './signature.ts'
import { excessive, findEvent, findId, parsePayload } from './wire.ts'

export interface DoorOptions {
  readonly routes: ReadonlyMap<string, Route>
  readonly perMinute: number
  readonly receive: (message: InboundMessage) => Promise<Accepted>
  readonly coalescer: Coalescer
  readonly clock: Clock
  readonly log: Log
  /** Fires when no more requests are taken. */
  readonly signal: AbortSignal
  /** A request came that proved where it comes from. */
  readonly onHear: () => void
}

/** What tells events apart is short; it is kept with everything that waits. */
const longestKey = 500

/** A request that proved where it comes from, with what its signature is remembered by. */
interface Proved {
  readonly route: Route
  readonly scheme: SchemeName | undefined
  readonly mark: string | undefined
}

/** Answers requests below `/webhooks/`. */
export function createDoor(options: DoorOptions): HttpHandler {
  const { clock, signal, onHear } = options
  const wait = createAllowance(clock, options.perMinute)
  const replays = createReplays(clock)
  const take = createTaker(options)
  const warn = createWarning(options.log)
  return async (request) => {
    if (signal.aborted) return busy(5000)
    const proved = prove(options, request)
    if ('status' in proved) return proved
    const { route, mark } = proved
    onHear()
    warn(proved)
    const waitMs = wait(route.name)
    if (waitMs > 0) return reply(429, 'refused', { reason: 'rate' }, retryAfter(waitMs))
    const delivery = readDelivery(request, proved, String(clock.now()))
    if ('status' in delivery) return delivery
    if (mark && replays.has(mark)) return reply(200, 'duplicate', { delivery_id: delivery.id })
    const answer = await take(route, delivery)
    if (mark && answer.status < 300) replays.add(mark)
    return answer
  }
}

/** Refuses by the head what leads nowhere, or does not even try to prove where it comes from. */
export function createAdmit({ routes }: Pick<DoorOptions, 'routes'>): HttpAdmit {
  return async (head) => {
    const route = routes.get(readName(head.url))
    if (!route) return reply(404, 'unknown')
    if (head.method !== 'POST') return reply(405, 'refused', { reason: 'method' }, { Allow: 'POST' })
    return route.secret === undefined || mayProve(head) ? undefined : reply(401, 'unauthorized')
  }
}

function prove({ routes, clock }: DoorOptions, request: HttpRequest): Proved | HttpReply {
  const route = routes.get(readName(request.url))
  if (!route) return reply(404, 'unknown')
  if (route.secret === undefined) return { route, scheme: undefined, mark: undefined }
  const scheme = findProof(request, route.secret, clock.now())
  if (!scheme) return reply(401, 'unauthorized')
  const mark = findMark(scheme, request)
  return { route, scheme, mark: mark && `${route.name}/${mark}` }
}

function createWarning(log: Pick<Log, 'warn'>): (proved: Proved) => void {
  const warned = new Set<string>()
  return ({ route: { name: route }, scheme }) => {
    if (scheme !== 'legacy' || warned.has(route)) return
    warned.add(route)
    log.warn('requests of this route are signed without a time, so that they can be repeated: sign with X-Webhook-Signature-V2', { route })
  }
}

function createTaker({ receive, coalescer, log }: DoorOptions): (route: Route, delivery: Delivery) => Promise<HttpReply> {
  const hand = async (route: Route, delivery: Delivery): Promise<HttpReply> => {
    const about = { route: route.name, event: delivery.event, delivery_id: delivery.id }
    const text = readText(route, delivery)
    if (route.coalesce) {
      const key = fillTemplate(route.coalesce.key, delivery.payload).slice(0, longestKey)
      const isNew = await coalescer.add(route, { id: delivery.id, key, text })
      return isNew ? reply(202, 'coalesced', about) : reply(200, 'duplicate', about)
    }
    const taken = await receive(createMessage(route, delivery.id, text))
    if (taken.status === 'busy') return busy(taken.retryAfterMs)
    if (taken.status === 'duplicate') return reply(200, 'duplicate', about)
    return route.verbatim ? reply(200, 'delivered', about) : reply(202, 'accepted', about)
  }
  return async (route, delivery) => {
    try {
      return await hand(route, delivery)
    } catch (error) {
      log.error('an event of a webhook could not be handed in', { route: route.name, delivery: delivery.id, error: String(error) })
      return reply(502, 'failed')
    }
  }
}

function readName(url: string): string {
  return /^\/webhooks\/([\w-]+)\/?(?:\?|$)/.exec(url)?.[1] ?? ''
}

/** The event that a request tells of, or the answer where it is not handed in. */
function readDelivery(request: HttpRequest, { route, mark }: Proved, moment: string): Delivery | HttpReply {
  const payload = parsePayload(request)
  // Its sender has proved itself and would come again; it would never be taken.
  if (payload === excessive) return reply(200, 'ignored', { reason: 'payload' })
  if (typeof payload !== 'object' || payload === null) return reply(400, 'refused', { reason: 'payload' })
  const event = findEvent(request, payload)
  if (route.events.length > 0 && !route.events.includes(event)) return reply(200, 'ignored', { reason: 'event' })
  if (!route.filter(payload)) return reply(200, 'ignored', { reason: 'filter' })
  // Who signs the body repeats it under the same id; who sends a token may well say the same thing twice.
  return { id: findId(request, route.name, mark === undefined ? moment : ''), event, payload }
}
