import type { Connection } from '@agent/plugin-sdk'
import { parseJson, sendRequest } from '@agent/plugin-sdk/http'
import { platform, type Service } from './service.ts'
import { parseTaken } from './wire.ts'

/** Sends one message. A repeated send carries the same key, by which the service knows it. */
export function createSend({ request, clock }: Service): NonNullable<Connection['send']> {
  return ({ conversation, text, key }, call) =>
    sendRequest({
      platform,
      clock,
      call,
      request: (signal) => request('/messages', { method: 'POST', body: JSON.stringify({ room: conversation, text, key }), signal }),
      readId: (body) => parseTaken(parseJson(body)),
    })
}
