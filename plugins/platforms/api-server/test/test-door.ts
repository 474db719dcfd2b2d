import type { Call, Clock, HttpReply, TurnEvent, TurnRequest, Turns } from '@agent/plugin-sdk'
import { createBodyMemory } from '@agent/plugin-sdk/http'
import { createReplayCache } from '../src/door/idempotency.ts'
import { createKeepAlive } from '../src/door/keep-alive.ts'
import { createMemoryResponseStore } from '../src/door/response-store.ts'
import type { Settings } from '../src/door/settings.ts'
import { createSlots } from '../src/door/slots.ts'
import { createDoorway } from '../src/routes.ts'

/** Time moves only when the test says so. */
function createClock(): Clock & { advance(ms: number): Promise<void> } {
  let now = 1_000_000
  const sleepers = new Set<{ at: number; wake(): void }>()
  return {
    now: () => now,
    sleep: (ms) => new Promise((resolve) => sleepers.add({ at: now + ms, wake: resolve })),
    async advance(ms) {
      now += ms
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await new Promise(setImmediate)
    },
  }
}

const usage = { input: 10, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
export const started: TurnEvent = { type: 'message.start', turn: 'trn_1', session: 'ses_1', provider: 'p', model: 'm' }
export const counted: TurnEvent = { type: 'usage', usage, calls: 1 }
export const overloaded: TurnEvent = {
  type: 'error',
  error: { code: 'MODEL_OVERLOADED', params: { provider: 'p', detail: 'd' }, retryAfterMs: 1500 },
  text: 't',
  retryable: true,
}
export const ended = (text: string, status: 'complete' | 'failed' = 'complete'): TurnEvent => ({
  type: 'message.complete',
  text,
  status,
  stop: 'stop',
})
export const greeting: readonly TurnEvent[] = [started, { type: 'message.delta', text: 'hi' }, counted, ended('hi')]

export type Script = (request: TurnRequest, call: Call) => AsyncIterable<TurnEvent>

export async function* play(events: readonly TurnEvent[]): AsyncGenerator<TurnEvent> {
  yield* events
}

export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** The door with scripted turns: requests in, replies out, no socket. */
export function openDoor(
  script: Script = () => play(greeting),
  given: Partial<Settings> = {},
  answer: Turns['answer'] = async () => false,
) {
  const clock = createClock()
  const settings: Settings = {
    enabled: true,
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    origins: [],
    modelName: 'agent',
    toolProgress: 'safe',
    toolItems: 'mcp_call',
    showReasoning: false,
    maxBodyBytes: 10_000_000,
    maxRuns: 2,
    ...given,
  }
  const turns: Turns = { run: script, answer }
  const keepAlive = createKeepAlive(clock, new AbortController().signal)
  const closing = new AbortController()
  const slots = createSlots(settings.maxRuns, clock)
  const responses = createMemoryResponseStore({ maxResponses: 100, maxWeight: 1_000_000 })
  const { handle: handler } = createDoorway({
    settings,
    turns,
    memory: createBodyMemory(),
    clock,
    keepAlive,
    slots,
    responses,
    replays: createReplayCache({ clock, maxItems: 1_000, maxWeight: 16_000_000, keptMs: 300_000 }),
    signal: closing.signal,
    about: { version: '1.2.3', profile: 'default', startedAt: clock.now() },
    createId: createIds(),
  })
  const ask = ({
    method = 'POST',
    path = '/v1/chat/completions',
    headers = {},
    body = { messages: [{ role: 'user', content: 'x' }] },
    signal = new AbortController().signal,
  }: Asked = {}) =>
    handler(
      {
        method,
        url: path,
        headers: { host: '127.0.0.1:8642', 'content-type': 'application/json', ...headers },
        body: body instanceof Uint8Array ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
        remote: '127.0.0.1',
      },
      { id: 'call_1', signal, deadline: 1 },
    )
  const get = (path: string, method = 'GET', headers: Record<string, string> = {}) => ask({ method, path, headers, body: '' })
  return { ask, get, clock, close: () => closing.abort() }
}

/** Counts each family of ids from 1. */
function createIds(): (prefix: string) => string {
  const counts = new Map<string, number>()
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${prefix}${count}`
  }
}

export async function textOf(reply: HttpReply): Promise<string> {
  if (typeof reply.body === 'string') return reply.body
  let text = ''
  for await (const piece of reply.body as AsyncIterable<string>) text += piece
  return text
}

export const jsonOf = async (reply: HttpReply): Promise<unknown> => JSON.parse(await textOf(reply))
