import type { Log } from '@agent/plugin-sdk'

/** A log whose warnings and errors are also said to the person at the terminal. */
export function warnAloud(log: Log, say: (text: string) => void): Log {
  return {
    debug: log.debug,
    info: log.info,
    warn: (message, fields) => {
      log.warn(message, fields)
      say(message)
    },
    error: (message, fields) => {
      log.error(message, fields)
      say(message)
    },
  }
}
