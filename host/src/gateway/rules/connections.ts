import type { CompleteConnection, WireError } from '@agent/plugin-sdk'

interface Connected {
  connection(): CompleteConnection | undefined
  /** Ends the connection, to make it again. */
  breakOff?(error: WireError): void
}

/** Platforms by their id, as they are connected now. */
export type Connections = ReadonlyMap<string, Connected>
