import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { sessionHeader } from '../session-header.ts'
import { openChatReader } from './answer-reader.ts'
import { createChatWriter } from './request.ts'

/** POST …/chat/completions, spoken by most servers. */
export const openOpenaiChat: OpenProtocol = (deps) => {
  const write = createChatWriter(deps.endpoint)
  return (request, call) =>
    streamAnswer(deps, call, (sink) => ({
      exchange: {
        path: `${prefixOf(deps.endpoint, request.model)}/chat/completions`,
        headers: sessionHeader(deps.endpoint, request),
        body: write(request),
      },
      reader: openChatReader(sink, deps),
    }))
}

/** Where a model is a deployment, it is part of the path. */
function prefixOf({ prefix = '' }: { readonly prefix?: string | undefined }, model: string): string {
  return prefix.replace('{model}', encodeURIComponent(model))
}
