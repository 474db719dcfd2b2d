import { expect, test } from 'vitest'
import type { ResponseObject } from './response-object.ts'
import { createMemoryResponseStore, type StoredResponse } from './response-store.ts'

function response(id: string, conversation?: string): StoredResponse {
  const body = { id, status: 'completed', output: [{ type: 'message', id: `msg_${id}` }] } as unknown as ResponseObject
  return { body, session: { key: id }, ...(conversation === undefined ? {} : { conversation }) }
}

test('the response that was not used for longest is given up first', () => {
  const store = createMemoryResponseStore({ maxResponses: 2, maxWeight: 10_000 })
  store.put(response('a'))
  store.put(response('b'))
  store.find('a')
  store.put(response('c'))
  expect(['a', 'b', 'c'].map((id) => store.find(id)?.body.id)).toEqual(['a', undefined, 'c'])
  expect([store.findItem('msg_a')?.id, store.findItem('msg_b')]).toEqual(['msg_a', undefined])
})

test('large responses are given up before there are many, the newest never', () => {
  const store = createMemoryResponseStore({ maxResponses: 100, maxWeight: 10 })
  store.put(response('a'))
  store.put(response('b'))
  expect([store.size, store.find('b')?.body.id]).toEqual([1, 'b'])
})

test('a conversation is forgotten with its latest response', () => {
  const store = createMemoryResponseStore({ maxResponses: 100, maxWeight: 10_000 })
  store.put(response('a', 'ours'))
  store.put(response('b', 'ours'))
  expect(store.latest('ours')?.body.id).toBe('b')
  store.delete('a')
  expect(store.latest('ours')?.body.id).toBe('b')
  expect([store.delete('b'), store.delete('b'), store.latest('ours')]).toEqual([true, false, undefined])
})
