import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { sessionHeader } from '../session-header.ts'
import { openMessagesReader } from './answer-reader.ts'
import { buildMessagesRequest } from './request.ts'

/** POST …/v1/messages. The base URL may be written with or without `/v1`. */
export const openAnthropicMessages: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => ({
    exchange: {
      path: deps.endpoint.baseUrl.endsWith('/v1') ? '/messages' : '/v1/messages',
      headers: sessionHeader(deps.endpoint, request),
      body: buildMessagesRequest(request, deps.endpoint),
    },
    reader: openMessagesReader(sink, deps),
  }))
