import type { Endpoint } from '../../request/endpoint.ts'
import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { sessionHeader } from '../session-header.ts'
import { openMessagesReader } from './answer-reader.ts'
import { buildMessagesRequest } from './request.ts'

/** POST …/v1/messages, unless the model is part of the path. The base URL may be written with or without `/v1`. */
export const openAnthropicMessages: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => ({
    exchange: {
      path: pathOf(deps.endpoint, request.model),
      headers: sessionHeader(deps.endpoint, request),
      body: buildMessagesRequest(request, deps.endpoint),
    },
    reader: openMessagesReader(sink, deps),
  }))

function pathOf({ baseUrl, quirks }: Pick<Endpoint, 'baseUrl' | 'quirks'>, model: string): string {
  // Dates of models stand behind an @, which a path may hold as it is.
  if (quirks.modelInPath) return quirks.modelInPath.path.replace('{model}', encodeURIComponent(model).replace('%40', '@'))
  return baseUrl.endsWith('/v1') ? '/messages' : '/v1/messages'
}
