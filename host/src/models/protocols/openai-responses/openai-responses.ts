import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { sessionHeader } from '../session-header.ts'
import { openResponsesReader } from './answer-reader.ts'
import { buildResponsesRequest } from './request.ts'

/** POST …/responses, without storage on the vendor's side. */
export const openOpenaiResponses: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => ({
    exchange: { path: '/responses', headers: sessionHeader(deps.endpoint, request), body: buildResponsesRequest(request, deps.endpoint) },
    reader: openResponsesReader(sink, deps),
  }))
