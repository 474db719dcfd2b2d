import type { Endpoint } from '../../request/endpoint.ts'
import { asRecord } from '../../request/refusal.ts'
import { streamAnswer } from '../answer.ts'
import type { OpenProtocol, ProtocolDeps } from '../protocol.ts'
import { openGenerateReader } from './answer-reader.ts'
import { askCodeAssist } from './ask-code-assist.ts'
import { findProject } from './find-project.ts'
import { buildGenerateRequest } from './request.ts'

const pauseMs = 5_000

/** POST …:streamGenerateContent: the request of Gemini in an envelope, which names the model and the project that pays. */
export function openCodeAssist(deps: ProtocolDeps): ReturnType<OpenProtocol> {
  const { endpoint, clock, fetch } = deps
  let found: string | undefined
  const projectOf = async (signal: AbortSignal): Promise<string> => {
    found ??= await findProject(endpoint, {
      ask: (asked) => askCodeAssist(endpoint, fetch, { ...asked, signal }),
      pause: () => clock.sleep(pauseMs, signal),
    })
    return found
  }
  return (request, call) =>
    streamAnswer(deps, call, async (sink, signal) => ({
      exchange: {
        path: ':streamGenerateContent?alt=sse',
        body: {
          model: request.model,
          project: await projectOf(signal),
          user_prompt_id: call.id,
          request: buildGenerateRequest(request, endpoint),
        },
      },
      reader: openGenerateReader(sink, deps),
    }))
}

/** The service has no list of models; what is left of its limits is told for each of them. */
export async function listCodeAssist(
  endpoint: Endpoint,
  fetchNow: typeof fetch | undefined,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const ask = (asked: { readonly path: string; readonly body?: object }) => askCodeAssist(endpoint, fetchNow, { ...asked, signal })
  const project = await findProject(endpoint, { ask })
  const { buckets } = await ask({ path: ':retrieveUserQuota', body: { project } })
  if (!Array.isArray(buckets)) return undefined
  const ids = buckets.map((bucket) => asRecord(bucket)?.modelId).filter((id) => typeof id === 'string')
  return [...new Set(ids)].sort()
}
