import { expect, test } from 'vitest'
import { startFakeGemini } from '../../../../test/support/fakes/fake-gemini.ts'
import { startFakeVendor } from '../../../../test/support/fakes/fake-vendor.ts'
import { createDeps } from '../testing/model-call.ts'
import { fetchModels } from './fetch-models.ts'

const never = new AbortController().signal

test('every page of a list is read, and models that cannot answer are left out', async () => {
  await using server = await startFakeGemini({ models: ['gemini-b', 'gemini-c', 'gemini-a'] })
  const { endpoint } = createDeps({ baseUrl: server.url, protocol: 'gemini-generate' })
  expect(await fetchModels(endpoint, undefined, never)).toEqual(['gemini-a', 'gemini-b', 'gemini-c'])
  expect(server.requests.map(({ query }) => query)).toEqual(['pageSize=100', 'pageSize=100&pageToken=1', 'pageSize=100&pageToken=2'])
})

test('a list that never ends is cut, and what is no list is told', async () => {
  const serve = (models: object) =>
    startFakeVendor({}, () => ({
      dialect: {
        check: () => undefined,
        refuse: () => ({ status: 500, body: {} }),
        stream: () => ({ begin: [], rest: [] }),
        whole: () => ({}),
      },
      isKey: () => true,
      models: { ...models },
    }))
  await using endless = await serve({ models: [{ name: 'models/one' }], nextPageToken: 'again' })
  const { endpoint } = createDeps({ baseUrl: endless.origin, protocol: 'gemini-generate' })
  expect(await fetchModels(endpoint, undefined, never)).toEqual(['one'])
  expect(endless.requests.length).toBe(50)
  await using strange = await serve({ items: [] })
  await expect(fetchModels({ ...endpoint, baseUrl: strange.origin }, undefined, never)).rejects.toThrow('cannot be read')
})
