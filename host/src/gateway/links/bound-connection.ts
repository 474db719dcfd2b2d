import {
  type Call,
  type Clock,
  type CompleteConnection,
  type Connection,
  completeConnection,
  type PlatformManifest,
} from '@agent/plugin-sdk'
import { graceMs, passCall } from '#kernel/calls/call.ts'

type Bound = <T>(call: Call, run: (call: Call) => Promise<T>) => Promise<T>

/** What is being sent over the connections of a platform, so that one can be closed between two sends. */
export interface SendsUnderWay {
  track<T>(send: Promise<T>): Promise<T>
  /** Resolves when nothing is being sent or edited. */
  idle(): Promise<void>
}

export function createSendsUnderWay(): SendsUnderWay {
  const running = new Set<Promise<unknown>>()
  return {
    track: (send) => {
      const done: Promise<unknown> = send.catch(() => undefined).finally(() => running.delete(done))
      running.add(done)
      return send
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/**
 * A connection that can be asked for everything, and none of whose calls outlives its signal by more than the grace:
 * it holds up no caller that waits for a platform.
 */
export function boundConnection(
  connection: Connection,
  spec: Pick<PlatformManifest, 'label' | 'capabilities'>,
  clock: Clock,
  sends: SendsUnderWay,
): CompleteConnection {
  const whole = completeConnection(connection, spec)
  const bound: Bound = (call, run) => passCall(call, { clock, what: `Asking ${spec.label}`, graceMs }, run)
  return {
    send: (message, call) => sends.track(bound(call, (own) => whole.send(message, own))),
    identity: async (call) => bound(call, (own) => whole.identity(own)),
    edit: (id, message, call) => sends.track(bound(call, (own) => whole.edit(id, message, own))),
    findSent: async (lost, call) => bound(call, (own) => whole.findSent(lost, own)),
    typing: async (conversation, call) => bound(call, (own) => whole.typing(conversation, own)),
    endTyping: async (conversation, call) => bound(call, (own) => whole.endTyping(conversation, own)),
    react: async (message, mood, call) => bound(call, (own) => whole.react(message, mood, own)),
    setCommands: async (commands, call) => bound(call, (own) => whole.setCommands(commands, own)),
    listConversations: async (call) => bound(call, (own) => whole.listConversations(own)),
    fetchMedia: (attachment, call) => boundStream(call, whole.fetchMedia(attachment, call), bound),
    lastHeard: async (call) => bound(call, (own) => whole.lastHeard(own)),
    close: async (call) => bound(call, (own) => whole.close(own)),
  }
}

/** Each piece is waited for like the answer of a call. */
async function* boundStream<T>(call: Call, stream: AsyncIterable<T>, bound: Bound): AsyncGenerator<T> {
  const pieces = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await bound(call, () => pieces.next())
      if (done) return
      yield value
    }
  } finally {
    pieces.return?.()?.catch(() => undefined)
  }
}
