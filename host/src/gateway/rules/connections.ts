import type { CompleteConnection } from '@agent/plugin-sdk'

/** Platforms by their id, as they are connected now. */
export type Connections = ReadonlyMap<string, { connection(): CompleteConnection | undefined }>
