import { createHash } from 'node:crypto'
import type { Call, Clock, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** The name that a client gave to a request, so that it can repeat it without harm. */
export function parseIdempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw fail('HTTP_INVALID', { param: 'Idempotency-Key', problem: 'must be 1 to 255 visible ASCII characters' })
}

/** What two requests must have in common to be the same one. */
export function fingerprint(request: HttpRequest, body: string | Uint8Array): string {
  const { url, headers } = request
  const about = [url, ...['x-agent-session-id', 'x-agent-session-key', 'x-agent-tools'].map((name) => headers[name] ?? '')].join('\n')
  return createHash('sha256').update(about).update('\n').update(body).digest('hex')
}

export const replayedHeader = { 'idempotency-replayed': 'true' }

/** Answers to repeated requests. */
export interface ReplayCache {
  /** The answer that this request has or is about to have; `compute` runs only for the first. Failures are not kept. */
  once(name: string, call: Call, compute: (call: Call) => Promise<HttpReply>): Promise<HttpReply>
}

export interface ReplayCacheOptions {
  readonly clock: Clock
  readonly maxItems: number
  /** Characters of all kept answers together. */
  readonly maxWeight: number
  readonly keptMs: number
}

interface Shared {
  readonly reply: Promise<HttpReply>
  /** While it runs. */
  interrupt: AbortController | undefined
  waiting: number
  /** Milliseconds since 1970; undefined while it runs. */
  doneAt: number | undefined
  weight: number
}

/** In memory. A run that several wait for is interrupted when the last of them has left. */
export function createReplayCache({ clock, maxItems, maxWeight, keptMs }: ReplayCacheOptions): ReplayCache {
  const items = new Map<string, Shared>()
  let weight = 0

  function remove(name: string, shared: Shared): void {
    if (items.get(name) !== shared) return
    items.delete(name)
    weight -= shared.weight
  }

  function sweep(): void {
    for (const [name, shared] of items) {
      const { doneAt } = shared
      const old = doneAt !== undefined && clock.now() - doneAt >= keptMs
      if (old || items.size > maxItems || (doneAt !== undefined && weight > maxWeight)) remove(name, shared)
      else if (doneAt !== undefined) return
    }
  }

  function start(name: string, call: Call, compute: (call: Call) => Promise<HttpReply>): Shared {
    const interrupt = new AbortController()
    const forget = (): void => remove(name, shared)
    const reply = compute({ ...call, signal: interrupt.signal }).then(
      (done) => {
        shared.doneAt = clock.now()
        shared.interrupt = undefined
        if (done.status >= 400) forget()
        else if (items.get(name) === shared) {
          shared.weight = typeof done.body === 'string' ? done.body.length : 0
          weight += shared.weight
        }
        return done
      },
      (error: unknown) => {
        forget()
        throw error
      },
    )
    const shared: Shared = { reply, interrupt, waiting: 0, doneAt: undefined, weight: 0 }
    items.set(name, shared)
    sweep()
    return shared
  }

  return {
    async once(name, call, compute) {
      sweep()
      const known = items.get(name)
      const shared = known ?? start(name, call, compute)
      shared.waiting++
      const onLeave = (): void => {
        if (--shared.waiting === 0) shared.interrupt?.abort(fail('INTERRUPTED'))
      }
      if (call.signal.aborted) onLeave()
      else call.signal.addEventListener('abort', onLeave, { once: true })
      try {
        const reply = await shared.reply
        return known ? { ...reply, headers: { ...reply.headers, ...replayedHeader } } : reply
      } finally {
        call.signal.removeEventListener('abort', onLeave)
      }
    },
  }
}
