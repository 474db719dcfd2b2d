import type { ModelMessage, SessionRef } from '@agent/plugin-sdk'
import type { Item, ResponseObject } from './response-object.ts'

export interface StoredResponse {
  readonly body: ResponseObject
  readonly session: SessionRef
  /** The whole conversation up to here; absent where the session itself keeps it. */
  readonly messages?: readonly ModelMessage[]
  /** Name of the conversation that it belongs to. */
  readonly conversation?: string
}

/** Where responses wait for requests that go on from them. Reading one counts as a use of it. */
export interface ResponseStore {
  find(id: string): StoredResponse | undefined
  /** The newest finished response of a named conversation. */
  latest(conversation: string): StoredResponse | undefined
  /** A thing that any stored response said or did. */
  findItem(id: string): Item | undefined
  put(response: StoredResponse): void
  delete(id: string): boolean
  readonly size: number
}

export interface MemoryStoreOptions {
  readonly maxResponses: number
  /** Characters of all stored responses together. */
  readonly maxWeight: number
}

interface Kept {
  readonly response: StoredResponse
  readonly weight: number
}

/** Keeps the responses that were used last, in memory. */
export function createMemoryResponseStore({ maxResponses, maxWeight }: MemoryStoreOptions): ResponseStore {
  /** The least recently used one is the first. */
  const kept = new Map<string, Kept>()
  const names = new Map<string, string>()
  const items = new Map<string, Item>()
  let weight = 0

  function remove(id: string): boolean {
    const old = kept.get(id)
    if (!old) return false
    weight -= old.weight
    for (const item of old.response.body.output) items.delete(item.id)
    const { conversation } = old.response
    if (conversation !== undefined && names.get(conversation) === id) names.delete(conversation)
    return kept.delete(id)
  }

  function find(id: string): StoredResponse | undefined {
    const found = kept.get(id)
    if (!found) return undefined
    kept.delete(id)
    kept.set(id, found)
    return found.response
  }

  return {
    find,
    latest: (conversation) => find(names.get(conversation) ?? ''),
    findItem: (id) => items.get(id),
    put(response) {
      const { id, status } = response.body
      remove(id)
      const size = weigh(response)
      kept.set(id, { response, weight: size })
      weight += size
      for (const item of response.body.output) items.set(item.id, item)
      if (response.conversation !== undefined && (status === 'completed' || status === 'incomplete')) names.set(response.conversation, id)
      for (const oldest of kept.keys()) {
        if (kept.size <= 1 || (kept.size <= maxResponses && weight <= maxWeight)) return
        remove(oldest)
      }
    },
    delete: remove,
    get size() {
      return kept.size
    },
  }
}

/** What this response adds: earlier messages are shared with the ones before it. */
function weigh({ body, messages = [] }: StoredResponse): number {
  const asked = messages.findLast((message) => message.role === 'user')
  return JSON.stringify(body).length + JSON.stringify(asked ?? null).length
}
