import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { openGenerateReader } from './answer-reader.ts'
import { openCodeAssist } from './code-assist.ts'
import { buildGenerateRequest } from './request.ts'

/** POST …/models/{model}:streamGenerateContent. */
export const openGeminiGenerate: OpenProtocol = (deps) => {
  if (deps.endpoint.quirks.envelope === 'code-assist') return openCodeAssist(deps)
  return (request, call) =>
    streamAnswer(deps, call, (sink) => ({
      exchange: {
        path: `/${pathOf(request.model)}:streamGenerateContent?alt=sse`,
        body: buildGenerateRequest(request, deps.endpoint),
      },
      reader: openGenerateReader(sink, deps),
    }))
}

/** A name with a folder, such as `tunedModels/mine`, is a path already. */
function pathOf(model: string): string {
  return (model.includes('/') ? model : `models/${model}`).split('/').map(encodeURIComponent).join('/')
}
