import {
  type Call,
  type Clock,
  type CompleteConnection,
  type Connection,
  completeConnection,
  type PlatformManifest,
} from '@agent/plugin-sdk'
import { leaveAfterAbort } from '#kernel/bounded-call.ts'

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
