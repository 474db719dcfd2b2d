import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { fetchModels } from '../list/fetch-models.ts'
import { openOpenaiChat } from '../protocols/openai-chat/openai-chat.ts'
import { collect, createDeps, createRequest, createTestCall } from '../testing/model-call.ts'
import type { Credential, RefusedRequest, UnprovedRequest } from './credential.ts'

const call = createTestCall()

function ask(url: string, credential: Credential) {
  const deps = createDeps({ baseUrl: url, credential, key: 'sk-fixed-never-sent' })
  return collect(openOpenaiChat(deps)(createRequest(), call))
}

test('a credential proves each request, which it sees as it leaves, and no fixed key goes beside it', async () => {
  await using server = await startFakeOpenai({ key: 'tok-1' })
  const seen: UnprovedRequest[] = []
  const credential: Credential = {
    authorize(request) {
      seen.push(request)
      return { authorization: 'Bearer tok-1', 'x-signed': 'yes' }
    },
  }
  expect((await ask(server.url, credential)).at(-1)).toMatchObject({ type: 'end' })
  const [sent] = server.requests
  expect(sent?.headers).toMatchObject({ authorization: 'Bearer tok-1', 'x-signed': 'yes' })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  expect(seen[0]?.url.href).toBe(`${server.url}/chat/completions`)
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(sent?.body)
  expect(seen[0]?.headers).not.toHaveProperty('authorization')
})

test('a refused credential is told how, and what it was refused for; another try at once goes with what is current then', async () => {
  await using server = await startFakeOpenai({ key: 'tok-2' })
  const refusals: RefusedRequest[] = []
  let token = 'tok-1'
  const credential: Credential = {
    authorize: async () => ({ authorization: `Bearer ${token}` }),
    refused: async (refusal) => {
      refusals.push(refusal)
      token = 'tok-2'
      return true
    },
  }
  expect(await fetchModels(createDeps({ baseUrl: server.url, credential }).endpoint, undefined, call.signal)).toEqual(['fake-model'])
  expect(refusals).toEqual([{ class: 'auth', status: 401, retryAfterMs: undefined, proof: { authorization: 'Bearer tok-1' } }])
})

test('a refusal that no other try is worth is the answer, without the token, and a credential that never gives up is given up', async () => {
  const refuse = { status: 401, message: 'The token tok-quoted-1 is not known.', code: 'invalid_api_key' }
  await using server = await startFakeOpenai({ answers: [{ refuse }] })
  const authorize = () => ({ authorization: 'Bearer tok-quoted-1' })
  expect((await ask(server.url, { authorize })).at(-1)).toMatchObject({
    class: 'auth',
    error: { params: { detail: 'The token *** is not known' } },
  })
  expect(server.requests).toHaveLength(1)
  await ask(server.url, { authorize, refused: async () => true })
  expect(server.requests).toHaveLength(17)
})

test('an error of a credential ends the call by its own code, and nothing is sent', async () => {
  await using server = await startFakeOpenai({})
  const broken = (error: Error): Credential => ({ authorize: () => Promise.reject(error) })
  const limited = fail('MODEL_RATE_LIMIT', { provider: 'fake', detail: 'too many logins' }, { retryAfterMs: 7000 })
  expect(await ask(server.url, broken(limited))).toEqual([
    { type: 'failed', class: 'rate_limit', error: { code: limited.code, params: limited.params, retryAfterMs: 7000 } },
  ])
  expect(await ask(server.url, broken(fail('ENV_MISSING', { name: 'A_KEY', file: '.env' })))).toMatchObject([
    { class: 'auth', error: { code: 'ENV_MISSING' } },
  ])
  expect(await ask(server.url, broken(fail('TIMED_OUT', { what: 'Refreshing', ms: 1 })))).toMatchObject([{ class: 'timeout' }])
  const { endpoint } = createDeps({ baseUrl: server.url, credential: broken(limited) })
  await expect(fetchModels(endpoint, undefined, call.signal)).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT' })
  expect(server.requests).toEqual([])
})

test('a proof goes to no other host, whichever client sends: a redirect ends the call', async () => {
  await using other = await startFakeOpenai({})
  const redirect = { status: 307, message: 'moved', headers: { location: `${other.origin}/v1/chat/completions` } }
  await using server = await startFakeOpenai({ answers: [{ refuse: redirect }] })
  const credential: Credential = { authorize: () => ({ authorization: 'Bearer tok-1' }) }
  const deps = createDeps({ baseUrl: server.url, credential })
  for (const fetchNow of [fetch, undefined]) {
    const events = await collect(openOpenaiChat({ ...deps, fetch: fetchNow })(createRequest(), call))
    expect(events).toMatchObject([{ type: 'failed', class: 'format_error' }])
  }
  expect(server.requests).toHaveLength(2)
  expect(other.requests).toEqual([])
})
