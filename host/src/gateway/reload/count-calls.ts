import type { CompleteConnection } from '@agent/plugin-sdk'

/** Sends that are under way, so that a connection can be closed between them. */
export interface CallCount {
  /** The same connection, counted. */
  count(connection: CompleteConnection): CompleteConnection
  /** Resolves when nothing is being sent or edited. */
  idle(): Promise<void>
}

export function createCallCount(): CallCount {
  const running = new Set<Promise<unknown>>()
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done: Promise<unknown> = work.catch(() => undefined).finally(() => running.delete(done))
    running.add(done)
    return work
  }
  return {
    count: (connection) => ({
      ...connection,
      send: (message, call) => track(connection.send(message, call)),
      edit: (id, message, call) => track(connection.edit(id, message, call)),
    }),
    idle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
