import { createHash, createHmac } from 'node:crypto'
import type { HttpRequest, SessionRef } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

const maxKeyLength = 256

/** What the headers of a request say about its session. */
export interface NamedSession {
  /** A stored conversation that goes on: the history that was sent does not count. */
  readonly continued?: SessionRef
  /** A session that the client's own key stands for; the history comes with the request. */
  readonly grouped?: SessionRef
}

/** Only who holds a key may name a session. */
export function parseSession({ headers }: HttpRequest, key: string | undefined): NamedSession {
  const id = headers['x-agent-session-id']
  const own = headers['x-agent-session-key']
  if (id === undefined && own === undefined) return {}
  const grouped = own === undefined ? {} : { grouped: parseSessionKey(own, key) }
  return id === undefined ? grouped : { ...grouped, continued: parseSessionId(id, key, 'X-Agent-Session-Id') }
}

/** `param` names the place for the error. */
export function parseSessionId(id: string, key: string | undefined, param: string): SessionRef {
  if (key === undefined) throw fail('HTTP_SESSION_KEYLESS')
  if (/^api-[0-9a-f]{16}$/.test(id)) return { key: id }
  if (/^ses_[0-9a-z]{1,64}$/.test(id)) return { id }
  throw fail('HTTP_INVALID', { param, problem: 'is not the id of a session' })
}

/** True for what can stand for a session of a client. */
export function isSessionKey(own: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return own !== '' && own.length <= maxKeyLength && !/[\u0000-\u001f\u007f]/.test(own)
}

/** Clients of different keys never meet in one session, and the store does not show what a client calls its users. */
function parseSessionKey(own: string, key: string | undefined): SessionRef {
  const param = 'X-Agent-Session-Key'
  if (key === undefined) throw fail('HTTP_SESSION_KEYLESS')
  if (!isSessionKey(own))
    throw fail('HTTP_INVALID', { param, problem: `must be 1 to ${maxKeyLength} characters, none of them a control character` })
  return { key: `api-server-${createHmac('sha256', key).update(own).digest('hex')}` }
}

/** A stateless front end that sends the same conversation again finds the same session. */
export function deriveSession(instructions: string, first: string): SessionRef {
  return { key: `api-${createHash('sha256').update(`${instructions}\n${first}`).digest('hex').slice(0, 16)}` }
}
