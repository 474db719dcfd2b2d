import { streamAnswer } from './answer.ts'
import { openResponsesReader } from './openai-responses/answer-reader.ts'
import { buildResponsesRequest } from './openai-responses/request.ts'
import type { OpenProtocol } from './protocol.ts'

/** POST …/responses, without storage on the vendor's side. */
export const openOpenaiResponses: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => ({
    exchange: { path: '/responses', body: buildResponsesRequest(request, deps.endpoint) },
    reader: openResponsesReader(sink, deps),
  }))
