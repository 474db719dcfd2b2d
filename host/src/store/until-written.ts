import type { Clock, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'

export interface WrittenOptions {
  readonly clock: Clock
  readonly log: Log
}

const againMs = 5_000

/** Tries again and again while the disk is full or the file locked: what was done must not be forgotten because it cannot be written now. */
export async function untilWritten<Value = void>(
  options: WrittenOptions,
  signal: AbortSignal,
  write: () => Promise<Value>,
): Promise<Value> {
  const { clock, log } = options
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isAgentError(error, 'STORE_FULL') && !isAgentError(error, 'STORE_BUSY')) throw error
      if (signal.aborted) throw error
      log.error(error.message, { code: error.code })
    }
    await clock.sleep(againMs, signal)
  }
}
