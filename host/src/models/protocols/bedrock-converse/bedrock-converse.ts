import { streamAnswer } from '../answer.ts'
import type { OpenProtocol } from '../protocol.ts'
import { openConverseReader } from './answer-reader.ts'
import { openFrameFeed } from './frames.ts'
import { buildConverseRequest } from './request.ts'

/** POST …/model/{id}/converse-stream; the answer comes in binary frames. */
export const openBedrockConverse: OpenProtocol = (deps) => (request, call) =>
  streamAnswer(deps, call, (sink) => {
    const reader = openConverseReader(sink, deps)
    return {
      exchange: {
        path: `/model/${encodeURIComponent(request.model)}/converse-stream`,
        headers: { accept: 'application/vnd.amazon.eventstream' },
        body: buildConverseRequest(request, deps.endpoint),
      },
      reader,
      feed: openFrameFeed(reader.readFrame),
    }
  })
