import { connectionMessage, requestMessage } from '#kernel/egress/tell-request.ts'
import type { LogEntry } from '../see/log-entry.ts'

/** A request or a connection of a plugin in words; undefined for a line that tells of something else, or of another plugin. */
export function describeTraffic({ message, fields }: LogEntry, plugin: string): string | undefined {
  if (!Object.hasOwn(describers, message)) return undefined
  // Several plugins of one child share its connections.
  if (!String(fields.plugin).split(', ').includes(plugin)) return undefined
  return describers[message]?.(fields)
}

type Fields = LogEntry['fields']

const describers: Readonly<Record<string, (fields: Fields) => string>> = {
  [requestMessage]: ({ method, host, path, status, error, ms }) =>
    `Traffic: ${method} ${host}${path}: ${status === undefined ? `no answer (${error})` : status} after ${ms} ms`,
  [connectionMessage]: (fields) => `Traffic: ${describeConnection(fields)}`,
}

function describeConnection({ host, port, state, reason, ms, bytesSent, bytesReceived }: Fields): string {
  const target = `${host}:${port}`
  if (state === 'opened') return `connected to ${target}`
  if (state === 'refused') return `no connection to ${target} (${reason})`
  return `connection to ${target} closed after ${ms} ms, ${bytesSent} bytes sent and ${bytesReceived} received`
}
