// @module-tag server
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Call, HttpHead, Platform, PlatformContext, TurnEvent, TurnRequest, Turns } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { openListener } from '../../../../host/src/gateway/http/http.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { sourceEntry } from '../../../../test/support/source-entry.ts'
import { type ApiUnderTest, describeChat, type OpenApi } from '../test/describe-chat.ts'
import { describeResponses } from '../test/describe-responses.ts'
import { describeRuns } from '../test/describe-runs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const usage = { input: 12, output: 8, cacheRead: 4, cacheWrite: 0, reasoning: 1 }
const started: TurnEvent = { type: 'message.start', turn: 'trn_1', session: 'ses_1', provider: 'scripted', model: 'scripted' }
const counted: TurnEvent = { type: 'usage', usage, calls: 1 }
const delta = (text: string): TurnEvent => ({ type: 'message.delta', text })
const ended = (text: string): TurnEvent => ({ type: 'message.complete', text, status: 'complete', stop: 'stop' })

interface Ears {
  /** What is asked now, by id. */
  readonly asked: Map<string, (answer: string) => void>
  readonly heard: TurnRequest[]
  onInterrupt: () => void
}

const scripts: Readonly<Record<string, (call: Call, ears: Ears, request: TurnRequest) => AsyncIterable<TurnEvent>>> = {
  hello: async function* () {
    yield* [started, delta('Hello!'), counted, ended('Hello!')]
  },
  long: async function* () {
    yield started
    for (let count = 1; count <= 500; count++) yield delta(`${count} `)
    yield* [counted, ended('whole')]
  },
  tool: async function* () {
    yield* [started, delta('I look.')]
    yield { type: 'tool.start', id: 'c1', name: 'terminal', args: { command: 'ls' }, preview: 'ls' }
    yield { type: 'tool.progress', id: 'c1', text: 'a file' }
    yield { type: 'tool.complete', id: 'c1', name: 'terminal', ok: true, text: 'a file', durationMs: 1 }
    yield* [delta('There is a file.'), counted, ended('There is a file.')]
  },
  endless: async function* (call, ears) {
    yield* [started, delta('and')]
    if (!call.signal.aborted) await once(call.signal, 'abort')
    ears.onInterrupt()
    yield { type: 'message.complete', text: 'and', status: 'interrupted', stop: 'stop' }
  },
  risky: async function* (_call, { asked }, { canAnswer }) {
    yield started
    if (canAnswer) {
      yield {
        type: 'approval.request',
        id: 'ask_1',
        tool: 'terminal',
        subject: 'rm -rf x',
        reason: 'it deletes',
        choices: ['once', 'deny'],
      }
      await new Promise<string>((resolve) => asked.set('ask_1', resolve))
    }
    yield { type: 'tool.start', id: 'c1', name: 'terminal', args: { command: 'rm -rf x' }, preview: 'rm -rf x' }
    yield { type: 'tool.complete', id: 'c1', name: 'terminal', ok: canAnswer, text: '', durationMs: 1 }
    yield* [counted, ended('Done.')]
  },
  fail: async function* () {
    const error = { code: 'MODEL_OVERLOADED', params: { provider: 'scripted', detail: 'busy' } }
    yield* [started, counted]
    yield { type: 'error', error, text: 'busy', retryable: true }
    yield { type: 'message.complete', text: '', status: 'failed', stop: 'stop' }
  },
}

function createTurns(ears: Ears): Turns {
  return {
    async *run(request, call) {
      ears.heard.push(request)
      const [part] = request.input
      const script = scripts[part?.type === 'text' ? part.text : '']
      if (!script) throw fail('INTERNAL', { detail: 'no script' })
      const session = `ses_${request.session && 'key' in request.session ? request.session.key : 'new'}`
      for await (const event of script(call, ears, request)) yield event.type === 'message.start' ? { ...event, session } : event
    },
    answer: async (id, value) => {
      const resolve = ears.asked.get(id)
      resolve?.(value)
      return ears.asked.delete(id)
    },
  }
}

/** The plugin from source on a real listener, with scripted turns. */
async function openScripted({
  key,
  origins = [],
}: {
  key?: string
  origins?: readonly string[]
}): Promise<OpenApi & { heard: readonly TurnRequest[] }> {
  const variables: Record<string, string> = { API_SERVER_PORT: '0', API_SERVER_KEY: key ?? '', API_SERVER_CORS_ORIGINS: origins.join(', ') }
  const ears: Ears = { asked: new Map(), heard: [], onInterrupt: () => {} }
  const nothing = (): void => {}
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const closers: (() => Promise<void>)[] = []
  const life = new AbortController()
  let url = ''
  const context: Omit<PlatformContext, 'receive' | 'press' | 'invited' | 'lost' | 'files' | 'state' | 'fetch' | 'effect'> = {
    about: { plugin: 'platform-api-server', contribution: 'api-server', profile: 'default', agentVersion: '0.1.0' },
    config: {
      enabled: true,
      host: '127.0.0.1',
      port: 8642,
      cors_origins: [],
      tool_progress: 'safe',
      responses: { tool_items: 'mcp_call' },
      show_reasoning: false,
      max_body_mb: 10,
      max_concurrent_runs: 64,
    },
    log,
    clock: systemClock,
    signal: life.signal,
    secrets: {
      get: async (name) => variables[name] ?? Promise.reject(fail('ENV_MISSING', { name, file: '.env' })),
      find: async (name) => variables[name],
      set: async () => {},
    },
    models: { ask: async () => Promise.reject(fail('NO_PROVIDER')) },
    turns: createTurns(ears),
    http: {
      route: () => Promise.reject(new Error('not asked for')),
      async listen({ host, port, maxBodyBytes }, handler, refuse) {
        const admit = async (head: HttpHead, call: Call) => ({ handler, maxBodyBytes, ...(await refuse?.(head, call)) })
        const listener = await openListener({ host, port, admit, log, closeMs: 100 })
        closers.push(() => listener.close())
        url = listener.url
        return listener
      },
    },
  }
  const platform = await sourceEntry<Platform>({ kind: 'platform', id: 'api-server', plugin: { root } })
  const call: Call = { id: 'call_1', signal: life.signal, deadline: 10_000 }
  const connection = await platform.connect(context as PlatformContext, call)
  return {
    url: `${url}/v1`,
    heard: ears.heard,
    interrupted: () =>
      new Promise((resolve) => {
        ears.onInterrupt = resolve
      }),
    async close() {
      await connection.close(call)
      for (const close of closers) await close()
      life.abort()
    },
  }
}

const scripted: ApiUnderTest = {
  open: openScripted,
  greet: { say: 'hello', answer: /^Hello!$/ },
  long: { say: 'long', answer: /^1 2 3 .* 500 $/ },
  tool: { say: 'tool', answer: /^I look\.\n\nThere is a file\.$/ },
  endless: 'endless',
  fail: { say: 'fail', status: 503, code: 'model_overloaded' },
}

describeChat('the API server with scripted turns', scripted)
describeResponses('responses with scripted turns', scripted)
describeRuns('runs with scripted turns', { ...scripted, risky: 'risky' })

proves(
  ['api.chat.stateless', 'api.chat.system-layered'],
  'a chat brings its own history, and its system messages are layered',
  async () => {
    const api = await openScripted({})
    try {
      const openai = new OpenAI({ baseURL: api.url, apiKey: 'none' })
      await openai.chat.completions.create({
        model: 'agent',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'one' },
          { role: 'assistant', content: 'two' },
          { role: 'user', content: 'hello' },
        ],
      })
      expect(api.heard).toMatchObject([
        {
          source: 'api-server',
          canAnswer: false,
          instructions: 'Be brief.',
          history: [
            { role: 'user', parts: [{ type: 'text', text: 'one' }] },
            { role: 'assistant', parts: [{ type: 'text', text: 'two' }] },
          ],
          input: [{ type: 'text', text: 'hello' }],
        },
      ])
    } finally {
      await api.close()
    }
  },
)

proves('purpose.api.chat', 'the openai client does not repeat a turn that failed', async () => {
  const api = await openScripted({})
  try {
    const openai = new OpenAI({ baseURL: api.url, apiKey: 'none' })
    await expect(openai.chat.completions.create({ model: 'agent', messages: [{ role: 'user', content: 'fail' }] })).rejects.toMatchObject({
      status: 503,
    })
    expect(api.heard).toHaveLength(1)
  } finally {
    await api.close()
  }
})

proves('response.storage', 'a hundred responses are kept, the one that was not used for longest leaves first', async () => {
  const api = await openScripted({})
  try {
    const openai = new OpenAI({ baseURL: api.url, apiKey: 'none', maxRetries: 0 })
    const ask = (previous?: string) =>
      openai.responses.create({ model: 'agent', input: 'hello', ...(previous ? { previous_response_id: previous } : {}) })
    const [used, unused] = [await ask(), await ask()]
    for (let count = 2; count < 100; count++) await ask()
    await openai.responses.retrieve(used.id)
    await ask()
    await expect(openai.responses.retrieve(unused.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    expect(await ask(used.id)).toMatchObject({ previous_response_id: used.id })
    expect(api.heard.at(-1)?.history).toHaveLength(2)
  } finally {
    await api.close()
  }
})
