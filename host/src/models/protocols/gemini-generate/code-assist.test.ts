import { expect, test } from 'vitest'
import { startFakeGemini } from '../../../../../test/support/fakes/fake-gemini.ts'
import { fetchModels } from '../../list/fetch-models.ts'
import { collect, createDeps, createRequest, createTestCall } from '../../testing/model-call.ts'
import { openGeminiGenerate } from './gemini-generate.ts'

const protocol = 'gemini-generate' as const
const quirks = { envelope: 'code-assist' as const }
const never = new AbortController().signal

type Answers = Readonly<Record<string, object | readonly object[]>>

/** A service that says what it is told to, once each, and remembers what it was asked. */
function scripted(answers: Answers) {
  const asked: { readonly path: string; readonly body: Record<string, unknown> }[] = []
  const fetch = (async (url: URL, { body }: RequestInit) => {
    const path = url.pathname.replace('/v1internal', '')
    asked.push({ path, body: body ? JSON.parse(String(body)) : {} })
    const found = answers[path]
    const nth = asked.filter((one) => one.path === path).length - 1
    return Response.json(Array.isArray(found) ? found[nth] : found)
  }) as unknown as typeof globalThis.fetch
  return { asked, fetch }
}

const answer = { response: { candidates: [{ content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }] }, traceId: 't' }
const pauses: number[] = []
const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) }

function open({ fetch }: Pick<ReturnType<typeof scripted>, 'fetch'>, variables: Record<string, string> = {}) {
  const deps = createDeps({
    baseUrl: 'https://x.test/v1internal',
    protocol,
    quirks,
    variables,
    variableNames: { project: 'MY_PROJECT' },
    fetch,
  })
  const stream = openGeminiGenerate({ ...deps, clock: { ...deps.clock, sleep: clock.sleep } })
  return async () => (await collect(stream(createRequest(), createTestCall()))).at(-1)
}

test('a request goes out in an envelope with the model, the project and the call, and the answer comes out of one', async () => {
  await using server = await startFakeGemini({ rules: { envelope: 'code-assist' }, answers: [{ text: 'Hello.' }] })
  const deps = createDeps({ baseUrl: server.url, protocol, quirks })
  const stream = openGeminiGenerate(deps)
  const events = await collect(stream(createRequest(), createTestCall()))
  expect([events[0], events.at(-1)?.type]).toMatchObject([{ type: 'text', delta: 'Hello.' }, 'end'])
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'fake-model', project: 'fake-project', user_prompt_id: 'call_test' })
  expect(server.requests.at(-1)?.body.request).not.toHaveProperty('model')
  // The project is looked up once.
  await collect(stream(createRequest(), createTestCall()))
  expect(server.requests.filter(({ path }) => path.endsWith(':loadCodeAssist'))).toHaveLength(1)
  expect(await fetchModels(deps.endpoint, undefined, never)).toEqual(['fake-model'])
})

test('a project of the person is taken as it is', async () => {
  const service = scripted({ ':streamGenerateContent': answer })
  expect(await open(service, { project: 'mine' })()).toMatchObject({ type: 'end' })
  expect(service.asked).toMatchObject([{ path: ':streamGenerateContent', body: { project: 'mine' } }])
})

test('who asks for the first time is registered for the usual plan, which may take a while', async () => {
  const running = { name: 'operations/one', done: false }
  const done = { ...running, done: true, response: { cloudaicompanionProject: { id: 'made-for-me', name: 'Made' } } }
  const service = scripted({
    ':loadCodeAssist': { allowedTiers: [{ id: 'standard-tier' }, { id: 'free-tier', isDefault: true }] },
    ':onboardUser': running,
    '/operations/one': [running, done],
    ':streamGenerateContent': answer,
  })
  expect(await open(service)()).toMatchObject({ type: 'end' })
  expect(service.asked.map(({ path }) => path)).toEqual([
    ...[':loadCodeAssist', ':onboardUser', '/operations/one', '/operations/one', ':streamGenerateContent'],
  ])
  expect(service.asked[1]?.body).toMatchObject({ tierId: 'free-tier', metadata: { pluginType: 'GEMINI' } })
  expect(service.asked.at(-1)?.body.project).toBe('made-for-me')
  expect(pauses).toEqual([5000, 5000])
})

test('an account that may not use it, or needs a project, is told so, with what to set', async () => {
  const ineligibleTiers = [
    { reasonMessage: 'Not available in your location.' },
    { reasonMessage: 'Verify at', validationUrl: 'https://g.test/v' },
  ]
  const refused = await open(scripted({ ':loadCodeAssist': { ineligibleTiers } }))()
  expect(refused).toMatchObject({ type: 'failed', class: 'provider_policy_blocked' })
  const detail = refused?.type === 'failed' ? String(refused.error.params.detail) : ''
  expect(detail).toMatch(/location\.; Verify at https:\/\/g\.test\/v; or put the id of a project of yours into MY_PROJECT/)
  const without = await open(scripted({ ':loadCodeAssist': { currentTier: { id: 'standard-tier' } } }))()
  expect(without).toMatchObject({ error: { params: { detail: expect.stringContaining('it has no project; or put') } } })
})

test('a list is told from the limits of the account; nobody is registered by looking, and what is no list is told', async () => {
  const list = ({ fetch }: ReturnType<typeof scripted>) =>
    fetchModels(createDeps({ baseUrl: 'https://x.test/v1internal', protocol, quirks }).endpoint, fetch, never)
  const load = { currentTier: { id: 'free-tier' }, cloudaicompanionProject: 'p' }
  const buckets = [{ modelId: 'b', tokenType: 'REQUESTS' }, { modelId: 'a' }, { modelId: 'b' }, {}, null]
  expect(await list(scripted({ ':loadCodeAssist': load, ':retrieveUserQuota': { buckets } }))).toEqual(['a', 'b'])
  await expect(list(scripted({ ':loadCodeAssist': load, ':retrieveUserQuota': {} }))).rejects.toThrow('cannot be read')
  const fresh = scripted({ ':loadCodeAssist': { allowedTiers: [{ id: 'free-tier', isDefault: true }] } })
  await expect(list(fresh)).rejects.toThrow('not registered yet')
  expect(fresh.asked).toHaveLength(1)
})
