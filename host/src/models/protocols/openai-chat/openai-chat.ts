import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { openChatReader } from './answer-reader.ts'
import { buildChatRequest } from './request.ts'

/** POST …/chat/completions, spoken by most servers. */
export const openOpenaiChat: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => ({
    exchange: { path: '/chat/completions', body: buildChatRequest(request, deps.endpoint) },
    reader: openChatReader(sink, deps),
  }))
