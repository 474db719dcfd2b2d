import { devNull } from 'node:os'
import {
  type AssistantPart,
  type ModelErrorClass,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  modelErrorClasses,
  type ProviderManifest,
  type ToolSpec,
} from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { openModels } from '../../host/src/models/open.ts'
import { collect, createRequest, createTestCall, joinDeltas } from '../../host/src/models/testing/model-call.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import { startFakeAnthropic } from '../support/fakes/fake-anthropic.ts'
import { startFakeBedrock } from '../support/fakes/fake-bedrock.ts'
import { startFakeGemini } from '../support/fakes/fake-gemini.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeOptions, FakeRequest, FakeVendor } from '../support/fakes/fake-vendor.ts'
import { type Ability, abilities, type Outcome } from './abilities.ts'
import type { OwnProvider } from './own-trials.ts'
import { refusals } from './refusals.ts'
import { vendorRules } from './vendors.ts'

type Server = FakeVendor & { readonly url: string }

interface Trial {
  readonly spec: ProviderManifest
  readonly own?: OwnProvider | undefined
  readonly protocol: string
  readonly model: string
  /** A server that speaks the vendor's protocol and refuses what the vendor refuses. */
  start(options: Omit<FakeOptions, 'rules' | 'models' | 'key'>): Promise<Server>
  ask(server: Server, request?: Partial<ModelRequest>, signal?: AbortSignal): Promise<readonly ModelEvent[]>
}

const key = 'sk-trial-0123456789'

const tools: readonly ToolSpec[] = ['read_file', 'terminal'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: 'object', properties: { path: { type: 'string', pattern: '^[a-z.]+$' } } },
}))

/** Its newer models refuse what the others let pass: a call without the signature of the thought that it came of. */
const strictest: Readonly<Record<string, string>> = { 'gemini-generate': 'gemini-3-flash-preview' }

/** What proves who asks where it is no key: the server judges it. */
const accounts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aws: { AWS_ACCESS_KEY_ID: 'AKIDTRIAL', AWS_SECRET_ACCESS_KEY: key },
}
/** Accounts of the person who runs this are left alone. */
const noFiles: Readonly<Record<string, string>> = {
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  GOOGLE_APPLICATION_CREDENTIALS: devNull,
}

const servers: Readonly<Record<string, (options: FakeOptions) => Promise<Server>>> = {
  'anthropic-messages': startFakeAnthropic,
  'gemini-generate': startFakeGemini,
  'bedrock-converse': startFakeBedrock,
}

/** Tries everything that a manifest promises by its protocol, against a server that speaks it; `own` opens one with its own code. */
export async function tryProvider(spec: ProviderManifest, own?: OwnProvider): Promise<Outcome> {
  return (await tryAbilities(abilities, spec, own)) as Outcome
}

export async function tryAbilities(
  wanted: readonly Ability[],
  spec: ProviderManifest,
  own?: OwnProvider,
): Promise<Partial<Record<Ability, string>>> {
  const trial = openTrial(spec, own)
  const found: Partial<Record<Ability, string>> = {}
  for (const ability of wanted) {
    found[ability] = own?.trial.lacks?.includes(ability) ? 'none' : await trials[ability](trial).catch(detailOf)
  }
  return found
}

function openTrial(spec: ProviderManifest, own: OwnProvider | undefined): Trial {
  const protocol = own?.trial.protocol ?? spec.protocol ?? ''
  const offered = own?.trial.offers ?? strictest[protocol] ?? spec.defaultModel ?? 'a-deployment'
  const model = own?.trial.model(offered) ?? offered
  const startServer = servers[protocol] ?? startFakeOpenai
  return {
    ...{ spec, own, protocol, model },
    start: (options) => startServer({ key, models: [offered], rules: vendorRules[spec.id] ?? {}, ...options }),
    ask: (server, request = {}, signal) => ask(openOne(spec, server, own), spec.id, { model, ...request }, signal),
  }
}

/** The provider as it is, but for its addresses. */
const at = (spec: ProviderManifest, { url }: Server): ProviderManifest => ({
  ...spec,
  baseUrl: url,
  baseUrlOfVariables: [],
  baseUrlOfKeys: [],
})

type Opened = ReturnType<typeof openOne>

async function ask(opened: Opened, provider: string, request: Partial<ModelRequest>, signal?: AbortSignal): Promise<readonly ModelEvent[]> {
  await using models = opened
  const chat = await models.model({ provider, model: request.model ?? '' })
  // Awaited here: what is open is closed after it.
  return await collect(chat.stream(createRequest(request), createTestCall(signal)))
}

function openOne(provider: ProviderManifest, server: Server, own?: OwnProvider) {
  const spec = own ? provider : at(provider, server)
  const opened = own?.trial.open(own.trial.protocol === 'anthropic-messages' ? `${server.url}/v1` : server.url, key, [
    own.trial.offers ?? '',
  ])
  const contexts: { close(): Promise<void> }[] = []
  const models = openModels({
    catalog: { of: () => [{ kind: 'provider', id: spec.id, spec }] },
    activator: { entry: async <T>() => (await known(opened)).entry as T },
    context: async () => {
      const { config, secrets } = await known(opened)
      const host = openTestContext({ manifest: known(own).manifest, contribution: spec.id, config, secrets })
      contexts.push(host)
      return host.context
    },
    config: { model: {} },
    environment: { get: (name) => ({ ...noFiles, ...(accounts[spec.auth] ?? { [spec.keyEnv[0] ?? '']: key }) })[name] },
    environmentFile: '.env',
    // A token of a login, or of an account that has no keys, takes the place of the key.
    credential: async () =>
      spec.auth === 'login' || (spec.auth === 'google' && spec.keyEnv.length === 0)
        ? { authorize: () => ({ authorization: `Bearer ${key}` }) }
        : undefined,
    clock: systemClock,
    log: silentLog,
    timeoutMs: 60_000,
    newCallId: () => 'call_made',
  })
  const close = async (): Promise<void> => {
    await models.close()
    for (const context of contexts) await context.close()
  }
  return { ...models, [Symbol.asyncDispose]: close }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it has no code')
  return value
}

const trials: Readonly<Record<Ability, (trial: Trial) => Promise<string>>> = {
  async text({ start, ask: say }) {
    await using server = await start({ answers: [{ text: 'Grüße aus 東京 🗼' }] })
    const events = joinDeltas(await say(server, { temperature: 0.5, maxOutputTokens: 500, ephemeral: 'It is Monday.' }))
    const isRight = events[0]?.type === 'text' && events[0].delta === 'Grüße aus 東京 🗼' && endOf(events) === 'stop'
    // As tasks beside the conversation ask: for a few words, and without a thought.
    return isRight ? isAccepted(await say(server, { temperature: 0, maxOutputTokens: 100, reasoning: 'none' })) : told(events)
  },

  async reasoning({ start, ask: say, spec, own, protocol }) {
    await using server = await start({ answers: [workOf(protocol, own), { text: 'Done.' }] })
    const first = joinDeltas(await say(server, { tools, reasoning: 'high' }))
    if (!first.some((event) => event.type === 'reasoning' && event.delta === 'I need two things.')) return told(first)
    return isAccepted(await say(server, { tools, reasoning: 'high', messages: goOn(first, spec.id) }))
  },

  async calls({ start, ask: say, spec, own, protocol }) {
    const work = workOf(protocol, own)
    await using server = await start({ answers: [work, { text: 'Done.' }] })
    const first = await say(server, { tools })
    const made = first.flatMap((event) => (event.type === 'call' ? [`${event.name} ${event.args}`] : []))
    if (made.join() !== work.calls?.map(({ name, args }) => `${name} ${args}`).join()) return told(first)
    // The same conversation, begun by a vendor with ids of another shape.
    const foreign = first.map((event, index) => (event.type === 'call' ? { ...event, id: `call_of_another_vendor_${index}` } : event))
    const results = [
      await say(server, { tools, messages: goOn(first, spec.id) }),
      await say(server, { tools, messages: goOn(foreign, 'other') }),
    ]
    return results.map(isAccepted).find((one) => one !== 'yes') ?? 'yes'
  },

  async images({ start, ask: say }) {
    await using server = await start({})
    const parts = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, url: 'data:image/png;base64,AAAA' },
    ]
    const verdict = isAccepted(await say(server, { messages: [{ role: 'user', parts }] }))
    return verdict === 'yes' && !JSON.stringify(server.requests.at(-1)?.body).includes('AAAA') ? 'the image was not sent' : verdict
  },

  async usage({ start, ask: say }) {
    await using server = await start({ answers: [{ text: 'Hi.', usage: { input: 90, output: 7 } }] })
    const end = (await say(server)).at(-1)
    return judge(end?.type === 'end' && end.usage.input === 90 && end.usage.output === 7, [end])
  },

  async cache({ start, ask: say, spec, own }) {
    await using server = await start({ answers: [{ text: 'Hi.', usage: { input: 90, output: 7, cached: 64 } }] })
    const end = (await say(server)).at(-1)
    const asked = server.requests.at(-1)
    const unmarked = own || !asked ? undefined : findUnmarked(spec, asked)
    return unmarked ?? judge(end?.type === 'end' && end.usage.cacheRead === 64, [end])
  },

  async list({ start, spec, own, model }) {
    await using server = await start({})
    await using models = openOne(spec, server, own)
    const listed = await models.list(spec.id, createTestCall())
    return listed.join() === model ? 'yes' : `it lists ${listed.join()}`
  },

  async abort({ start, ask: say }) {
    await using server = await start({ answers: [{ text: 'So far', hang: 'body' }] })
    const stop = new AbortController()
    const asked = say(server, {}, stop.signal)
    await Promise.race([asked, waitForRequest(server)])
    const from = performance.now()
    using beats = countBeats()
    stop.abort()
    const last = (await asked).at(-1)
    if (last?.type !== 'failed' || last.error.code !== 'INTERRUPTED') return told([last])
    await server.abandoned
    const [took, beaten] = [performance.now() - from, beats.count()]
    if (beaten > mostBeats) return `it went on for ${beaten} beats`
    return took > 100 ? `only after ${took.toFixed(0)} ms` : 'yes'
  },

  async errors({ start, ask: say, own }) {
    const told = modelErrorClasses.filter((kind) => own?.trial.classes?.includes(kind) ?? true)
    const kinds = told.filter((kind): kind is Exclude<ModelErrorClass, 'disconnected'> => kind !== 'disconnected')
    const answers = kinds.map((kind): FakeAnswer => ({ refuse: { status: refusals[kind][0], message: refusals[kind][1] } }))
    await using server = await start({ answers: [...answers, { text: 'So far', cut: true }] })
    const wrong: string[] = []
    for (const kind of [...kinds, 'disconnected'] as const) {
      const last = (await say(server)).at(-1)
      if (last?.type !== 'failed' || last.class !== kind) wrong.push(`${kind} is ${last?.type === 'failed' ? last.class : last?.type}`)
    }
    if (wrong.length > 0) return wrong.join(', ')
    return told.length === modelErrorClasses.length ? 'yes' : `${told.length} of ${modelErrorClasses.length}`
  },

  async key({ start, ask: say, spec }) {
    await using server = await start({})
    const verdict = isAccepted(await say(server))
    const seen = server.requests.map(({ headers, body }) => JSON.stringify([headers, body]))
    return verdict === 'yes' && (spec.auth === 'api-key' || spec.auth === 'login') && !seen.every((one) => one.includes(key))
      ? 'the key was not sent'
      : verdict
  },
}

const workOf = (protocol: string, own: OwnProvider | undefined): FakeAnswer => ({
  reasoning: 'I need two things.',
  text: 'One moment.',
  calls: [
    { id: 'abcDEF123', name: 'read_file', args: '{"path":"notes.txt"}' },
    // Where arguments come as a whole, they cannot be broken off.
    {
      id: 'abcDEF456',
      name: 'terminal',
      args: protocol === 'gemini-generate' || own?.trial.wholeArguments ? '{"path":"ls"}' : '{"path": "ls',
    },
  ],
})

/** The conversation after an answer with calls: what the agent would send next. */
function goOn(events: readonly ModelEvent[], provider: string): readonly ModelMessage[] {
  const parts = joinDeltas(events).flatMap((event): AssistantPart[] => {
    if (event.type === 'text') return [{ type: 'text', text: event.delta }]
    if (event.type === 'opaque') return [{ ...event, provider }]
    return event.type === 'call' ? [event] : []
  })
  const results = events.flatMap((event) => (event.type === 'call' ? [{ id: event.id, name: event.name, ok: true, text: 'fine' }] : []))
  return [...createRequest().messages, { role: 'assistant', parts }, { role: 'tool', results }]
}

/**
 * What a service that keeps beginnings of conversations is told: the marks, the key or the header that the manifest promises, and none of them
 * where it promises none.
 */
function findUnmarked({ quirks, protocol }: ProviderManifest, { headers, body }: FakeRequest): string | undefined {
  const { promptCache = marking.has(protocol ?? '') ? 'markers' : 'none', sessionHeader } = quirks
  const { session } = createRequest()
  const isMarked = /"(cache_control|cachePoint)"/.test(JSON.stringify(body))
  if (isMarked !== (promptCache === 'markers')) return `marks were sent: ${isMarked}`
  const wanted = promptCache === 'key' ? session : undefined
  if (body.prompt_cache_key !== wanted) return `the key ${body.prompt_cache_key} was sent in place of ${wanted}`
  return sessionHeader === undefined || headers[sessionHeader] === session ? undefined : `${sessionHeader} does not name the conversation`
}

/** Protocols whose own vendor keeps what is marked. */
const marking: ReadonlySet<string> = new Set(['anthropic-messages', 'bedrock-converse'])

const beatMs = 5
/** Five times what an interruption may take on a quiet machine, counted in turns of this process: a busy machine slows both down. */
const mostBeats = 100

function countBeats(): Disposable & { readonly count: () => number } {
  let beats = 0
  const timer = setInterval(() => beats++, beatMs)
  return { count: () => beats, [Symbol.dispose]: () => clearInterval(timer) }
}

async function waitForRequest(server: Server): Promise<void> {
  // A service may be asked for the project first.
  while (!server.requests.some(({ path }) => !path.endsWith(':loadCodeAssist'))) await systemClock.sleep(1)
}

const endOf = (events: readonly (ModelEvent | undefined)[]): string | undefined => {
  const last = events.at(-1)
  return last?.type === 'end' ? last.reason : undefined
}

const isAccepted = (events: readonly ModelEvent[]): string => judge(endOf(events) !== undefined, events)
const told = (events: readonly (ModelEvent | undefined)[]): string => JSON.stringify(events.at(-1))
const judge = (isRight: boolean, events: readonly (ModelEvent | undefined)[], verdict = 'yes'): string => (isRight ? verdict : told(events))
