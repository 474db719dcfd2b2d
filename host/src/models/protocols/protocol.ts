import type { Call, Clock, ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import type { Endpoint } from '../request/endpoint.ts'
import type { Watches } from './watch.ts'

/** What every protocol adapter is opened with. */
export interface ProtocolDeps {
  readonly endpoint: Endpoint
  readonly clock: Clock
  readonly fetch: typeof fetch | undefined
  /** Looks after the calls that run. */
  readonly watches: Watches
  newCallId(): string
}

export type OpenProtocol = (deps: ProtocolDeps) => (request: ModelRequest, call: Call) => AsyncIterable<ModelEvent>

/** Turns the data of one answer into events. Broken or unknown data is passed over; nothing throws. */
export interface AnswerReader {
  /** One `data` of the event stream, or a whole JSON body from a server that does not stream. */
  read(data: string): void
  /** The connection ended; says whether the answer was complete. */
  finish(): void
}

/** Takes the bytes of a streamed answer as they come, and throws where they are no such stream. */
export interface Feed {
  push(bytes: Uint8Array): void
  /** No more bytes come. */
  end(): void
}
