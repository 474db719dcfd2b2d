import type { Log } from '@agent/plugin-sdk'

/** Drops everything. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}
