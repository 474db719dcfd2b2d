import { fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { classify, failedEvent } from '../request/classify.ts'
import type { Endpoint } from '../request/endpoint.ts'
import { reasonOf } from '../request/refusal.ts'
import { readJson } from '../request/reply.ts'
import { send } from '../request/send.ts'
import { findPages } from './pages.ts'

/** A list that never ends is cut here. */
const mostPages = 50
/** Hundreds of models with all that is said of each are one or two megabytes. */
const mostBytes = 16 * 1024 * 1024

/** Ids of the models that a provider offers, sorted; throws the same coded errors as a model call. */
export async function fetchModels(endpoint: Endpoint, fetchNow: typeof fetch | undefined, signal: AbortSignal): Promise<readonly string[]> {
  if (endpoint.quirks.envelope) return listEnveloped(endpoint, fetchNow, signal)
  const pages = findPages(endpoint)
  const asked = pages.baseUrl ? { ...endpoint, baseUrl: pages.baseUrl } : endpoint
  const ids = new Set<string>()
  let path: string | undefined = pages.first
  for (let read = 0; path !== undefined && read < mostPages; read += 1) {
    const page = pages.read(await fetchPage(asked, path, fetchNow, signal))
    if (!page) throw fromWireError(unreadable(endpoint).error)
    for (const id of page.ids) ids.add(id)
    path = page.next
  }
  return [...ids].sort()
}

async function listEnveloped(endpoint: Endpoint, fetchNow: typeof fetch | undefined, signal: AbortSignal): Promise<readonly string[]> {
  const { listCodeAssist } = await import('../protocols/gemini-generate/code-assist.ts')
  const ids = await listCodeAssist(endpoint, fetchNow, signal)
  if (!ids) throw fromWireError(unreadable(endpoint).error)
  return ids
}

async function fetchPage(endpoint: Endpoint, path: string, fetchNow: typeof fetch | undefined, signal: AbortSignal): Promise<unknown> {
  const answered = await send(endpoint, fetchNow, { method: 'GET', path, signal }, Date.now).catch((error: unknown) => {
    signal.throwIfAborted()
    if (isAgentError(error)) throw error
    throw fromWireError(failedEvent(endpoint, { class: 'disconnected', detail: reasonOf(error) }).error)
  })
  if (answered.failed) throw fromWireError(answered.failed.error)
  return readJson(answered.reply, mostBytes).catch(() => undefined)
}

function unreadable(endpoint: Endpoint): ReturnType<typeof failedEvent> {
  const detail = 'its list of models cannot be read'
  return failedEvent(endpoint, { class: classify({ status: 400, message: detail }), detail })
}
