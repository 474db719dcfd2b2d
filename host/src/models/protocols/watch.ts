import type { Call, Clock } from '@agent/plugin-sdk'

export interface WatchOptions {
  readonly clock: Clock
  /** Longest model call. */
  readonly timeoutMs: number
  /** Longest silence inside an answer. */
  readonly stallMs: number
  /** Fires when no more calls come: nothing is left waiting then. */
  readonly signal: AbortSignal
}

interface Cause {
  readonly why: 'interrupted' | 'late' | 'silent'
  readonly detail: string
}

/** Ends a model call that was given up, lasts too long or has fallen silent. */
export interface Watch {
  readonly signal: AbortSignal
  /** Why the signal fired; undefined while it has not, or when the call ended by itself. */
  readonly cause: Cause | undefined
  /** Bytes arrived. Silence is measured from the first ones on: a local model may think for minutes before it speaks. */
  touch(): void
  /** The answer is complete; `rest` of its body may go on for a second before the connection is cut. */
  complete(rest?: Promise<void>): void
  /** An answer that is not complete is cut off. */
  close(): void
}

export interface Watches {
  open(call: Call): Watch
}

const sweepMs = 1_000
const restMs = 1_000

interface Watched {
  check(now: number): void
}

/** One sweep a second looks after all calls that run: a timer for each would cost more than the rest of a short call. */
export function createWatches({ clock, timeoutMs, stallMs, signal }: WatchOptions): Watches {
  const live = new Set<Watched>()
  let sweeping = false
  const sweep = async (): Promise<void> => {
    sweeping = true
    try {
      while (live.size > 0) {
        await clock.sleep(sweepMs, signal)
        for (const watched of live) watched.check(clock.now())
      }
    } finally {
      sweeping = false
    }
  }
  return {
    open: (call) => {
      const limitMs = Math.min(timeoutMs, call.deadline)
      const controller = new AbortController()
      const end = clock.now() + limitMs
      let cause: Cause | undefined
      let heard: number | undefined
      let restEnd: number | undefined
      let complete = false
      const stop = (found: Cause): void => {
        cause ??= found
        controller.abort(new Error(found.detail))
      }
      const late: Cause = { why: 'late', detail: `no complete answer within ${Math.round(limitMs / 1000)} seconds` }
      const silent: Cause = { why: 'silent', detail: `nothing came for ${Math.round(stallMs / 1000)} seconds` }
      const onAbort = (): void => stop(isTimeout(call.signal.reason) ? late : { why: 'interrupted', detail: 'interrupted' })
      const watched: Watched = {
        check: (now) => {
          if (restEnd !== undefined) {
            if (now >= restEnd) controller.abort()
          } else if (now >= end) stop(late)
          else if (heard !== undefined && now - heard >= stallMs) stop(silent)
        },
      }
      const leave = (): void => void live.delete(watched)
      live.add(watched)
      // The only rejection is the sleep being called off when the models close.
      if (!sweeping) sweep().catch(() => undefined)
      if (call.signal.aborted) onAbort()
      else call.signal.addEventListener('abort', onAbort, { once: true })
      return {
        signal: controller.signal,
        get cause() {
          return cause
        },
        touch() {
          heard = clock.now()
        },
        complete(rest) {
          complete = true
          if (rest === undefined) return leave()
          restEnd = clock.now() + restMs
          rest.then(leave, leave)
        },
        close() {
          call.signal.removeEventListener('abort', onAbort)
          if (complete) return
          leave()
          controller.abort()
        },
      }
    },
  }
}

function isTimeout(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false
  return reason.name === 'TimeoutError' || ('code' in reason && reason.code === 'TIMED_OUT')
}
