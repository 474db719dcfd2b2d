import { type Call, type HttpHead, type HttpReply, type HttpRequest, isOverWithin, linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { checkReply } from './check-reply.ts'
import type { Admitted, ListenerOptions } from './http.ts'
import { errorReply } from './http-error.ts'

export interface Guest {
  readonly admit: ListenerOptions['admit']
  /** What it answers may end by itself for a while, and is ended then. */
  close(): Promise<void>
}

type Body = AsyncIterable<string | Uint8Array>

/** Answers at the listener of another profile. What fails is said in its own log only: it may quote what the other one must not see. */
export function createGuest({ admit, log, clock = systemClock, closeMs = 4_000 }: ListenerOptions): Guest {
  const running = new Map<AbortController, Promise<void>>()
  const begin = (signal: AbortSignal): { readonly stop: AbortController; readonly end: () => void } => {
    const stop = new AbortController()
    let resolve = (): void => undefined
    running.set(stop, new Promise((done) => (resolve = done)))
    const end = (): void => {
      running.delete(stop)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    return { stop, end }
  }
  const refuse = ({ url }: HttpHead, { signal }: Call, error: unknown): HttpReply => {
    if (!signal.aborted) log.error('an HTTP request failed', { url: url.split('?', 1)[0], error: String(error) })
    return errorReply(error)
  }
  const handle = async ({ handler }: Admitted, request: HttpRequest, call: Call): Promise<HttpReply> => {
    const { stop, end } = begin(call.signal)
    const own = linkSignals(call.signal, stop.signal)
    try {
      const reply = checkReply(await handler(request, { ...call, signal: own.signal }))
      const { body } = reply
      if (typeof body === 'object' && Symbol.asyncIterator in body)
        return {
          ...reply,
          body: follow(body, (error) => {
            end()
            if (error !== undefined) refuse(request, call, error)
          }),
        }
      end()
      return reply
    } catch (error) {
      end()
      return refuse(request, call, error)
    }
  }
  return {
    admit: async (head, call) => {
      try {
        const admitted = await admit(head, call)
        return 'status' in admitted
          ? checkReply(admitted)
          : { ...admitted, handler: (request, own) => handle(admitted, { ...request, url: head.url }, own) }
      } catch (error) {
        return refuse(head, call, error)
      }
    },
    close: async () => {
      await isOverWithin({ clock, ms: closeMs }, Promise.all(running.values()))
      for (const stop of running.keys()) stop.abort(fail('INTERRUPTED'))
    },
  }
}

/** The same pieces; tells when the last one was taken, and of what it broke off with. */
function follow(body: Body, onEnd: (error?: unknown) => void): Body {
  return {
    [Symbol.asyncIterator]() {
      const inner = body[Symbol.asyncIterator]()
      return {
        next: async () => {
          try {
            const step = await inner.next()
            if (step.done) onEnd()
            return step
          } catch (error) {
            onEnd(error)
            throw fail('INTERRUPTED')
          }
        },
        return: async () => {
          onEnd()
          await inner.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
