import {
  type Call,
  type Clock,
  type CompleteConnection,
  type Connection,
  completeConnection,
  type PlatformManifest,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createCall, linkSignal } from '#kernel/call.ts'

export interface Bounds {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly deadline: number
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
}

/** After its signal has fired a call may still say what became of it for this long; then nobody waits for it any more. */
export const graceMs = 2_000

/**
 * Calls a platform and waits no longer than the deadline and the grace, whatever the platform does.
 * `onLate` gets a result that came when nobody waited any more.
 */
export async function callBounded<T>(
  { clock, signal, deadline, what }: Bounds,
  run: (call: Call) => Promise<T>,
  onLate?: (value: T) => void,
): Promise<T> {
  const controller = new AbortController()
  const over = new AbortController()
  const unlink = linkSignal(controller, signal)
  clock.sleep(deadline, over.signal).then(
    () => controller.abort(fail('TIMED_OUT', { what, ms: deadline })),
    () => undefined,
  )
  try {
    const work = (async () => run(createCall(controller.signal, deadline)))()
    return await leaveAfterAbort(clock, controller.signal, work, onLate)
  } finally {
    over.abort()
    unlink()
  }
}

/** The result of `work`, or the signal's reason when there is none within the grace after it fired. */
function leaveAfterAbort<T>(clock: Clock, signal: AbortSignal, work: Promise<T>, onLate?: (value: T) => void): Promise<T> {
  const over = new AbortController()
  return new Promise<T>((resolve, reject) => {
    let left = false
    const leave = (): void => {
      left = true
      reject(signal.reason)
    }
    const onAbort = (): void => void clock.sleep(graceMs, over.signal).then(leave, () => undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const end = (): void => {
      over.abort()
      signal.removeEventListener('abort', onAbort)
    }
    work.then(
      (value) => {
        end()
        if (left) onLate?.(value)
        else resolve(value)
      },
      (error: unknown) => {
        end()
        reject(error)
      },
    )
  })
}

/**
 * A connection that can be asked for everything, and none of whose calls outlives its signal by more than the grace:
 * whoever waits for a platform is not held by it.
 */
export function boundConnection(
  connection: Connection,
  spec: Pick<PlatformManifest, 'label' | 'capabilities'>,
  clock: Clock,
): CompleteConnection {
  const whole = completeConnection(connection, spec)
  const bound = <T>(call: Call, work: Promise<T>): Promise<T> => leaveAfterAbort(clock, call.signal, work)
  return {
    send: async (message, call) => bound(call, whole.send(message, call)),
    identity: async (call) => bound(call, whole.identity(call)),
    edit: async (id, message, call) => bound(call, whole.edit(id, message, call)),
    findSent: async (key, conversation, call) => bound(call, whole.findSent(key, conversation, call)),
    typing: async (conversation, call) => bound(call, whole.typing(conversation, call)),
    react: async (message, mood, call) => bound(call, whole.react(message, mood, call)),
    setCommands: async (commands, call) => bound(call, whole.setCommands(commands, call)),
    listConversations: async (call) => bound(call, whole.listConversations(call)),
    fetchMedia: (attachment, call) => boundStream(clock, call, whole.fetchMedia(attachment, call)),
    lastHeard: async (call) => bound(call, whole.lastHeard(call)),
    close: async (call) => bound(call, whole.close(call)),
  }
}

/** Each piece is waited for like the answer of a call. */
async function* boundStream<T>(clock: Clock, { signal }: Call, stream: AsyncIterable<T>): AsyncGenerator<T> {
  const pieces = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await leaveAfterAbort(clock, signal, pieces.next())
      if (done) return
      yield value
    }
  } finally {
    pieces.return?.()?.catch(() => undefined)
  }
}
