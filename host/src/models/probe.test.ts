import type { Clock } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../../../test/support/fakes/fake-openai.ts'
import { probeLocalServers } from './probe.ts'
import { createProvider } from './testing/model-call.ts'

const local = (id: string, baseUrl: string) => createProvider({ id, protocol: 'openai-chat', auth: 'optional-key', baseUrl, local: true })
/** Time is over for the last one, when all others have their answer. */
function createLastClock(): Clock {
  const waiting = new Set<() => void>()
  return {
    now: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        waiting.add(resolve)
        signal?.addEventListener('abort', () => {
          reject(signal.reason)
          waiting.delete(resolve)
          if (waiting.size === 1) for (const wake of waiting) wake()
        })
      }),
  }
}

const none = { config: { model: {} }, environment: { get: () => undefined }, environmentFile: '/home/.env' }

test('local servers are asked at the same time; silent, absent and distant ones are left out', async () => {
  await using server = await startFakeOpenai({ models: ['small', 'large'] })
  const asked: string[] = []
  const watched: typeof fetch = (url, init) => {
    asked.push(String(url))
    // A server that never answers is left when its time is over.
    if (String(url).includes('silent'))
      return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    return fetch(url, init)
  }
  const distant = createProvider({ id: 'distant', protocol: 'openai-chat', baseUrl: server.url })
  const providers = [
    local('silent', 'http://silent.test/v1'),
    local('absent', 'http://127.0.0.1:1/v1'),
    local('found', server.url),
    distant,
  ]
  const found = await probeLocalServers(
    { ...none, catalog: { of: () => providers }, fetch: watched, clock: createLastClock() },
    new AbortController().signal,
  )
  expect(found).toEqual([{ provider: 'found', label: 'found', baseUrl: server.url, models: ['large', 'small'] }])
  expect(asked).toHaveLength(3)
})

test('giving up asks no further and throws', async () => {
  const providers = [local('absent', 'http://127.0.0.1:1/v1')]
  const gone = AbortSignal.abort(new Error('gave up'))
  await expect(probeLocalServers({ ...none, catalog: { of: () => providers }, fetch, clock: createLastClock() }, gone)).rejects.toThrow(
    'gave up',
  )
})
