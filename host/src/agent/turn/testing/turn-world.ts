import type { Clock, ModelEvent, ModelRequest, ToolSpec, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { defaultConfig } from '#config/schema/defaults.ts'
import { createCall } from '#kernel/calls/call.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import { type BookOptions, createBook } from '#models/book.ts'
import type { SpendingBudget } from '#models/budget.ts'
import type { PriceList } from '#models/catalog/price-list.ts'
import { createFallback, type StandInSettings } from '#models/stand-ins.ts'
import { priceListOf } from '#models/testing/price-list-of.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { NewSession, Session, Sessions, TurnRows } from '#store/sessions.ts'
import type { Spent } from '#store/usage.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { noRules } from '../../rules/read-rules.ts'
import { createLateCommits } from '../late-commits.ts'
import type { TurnsOptions } from '../prepare-turn.ts'
import { createTurns } from '../turns.ts'

export const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const clock: Clock = { now: () => 1_700_000_000_000, sleep: async (_ms, signal) => signal?.throwIfAborted() }
export const spec: ToolSpec = { name: 'echo', description: 'Says it again.', parameters: { type: 'object' } }
export const end = (reason: 'stop' | 'tool-calls' = 'stop'): ModelEvent => ({ type: 'end', reason, usage })
export const text = (delta: string): ModelEvent => ({ type: 'text', delta })
export const callEvent = (id: string, name = 'echo', args = '{}'): ModelEvent => ({ type: 'call', id, name, args })
export const hello: TurnRequest = { input: [{ type: 'text', text: 'hello' }], source: 'cli', canAnswer: true }

/** Keeps conversations as they are. */
const unlimited: Pick<TurnsOptions, 'fit' | 'shortening'> = {
  fit: { fit: async () => undefined, refused: async () => false },
  shortening: {
    engines: { compress: async ({ messages }) => messages },
    settings: () => defaultConfig.compression,
    skills: { list: async () => [], view: async () => '' },
    rules: { workspace: '/work', now: () => undefined },
    windows: { of: async () => 128_000, refused: async () => undefined },
    log: silentLog,
  },
}

const noPrices = priceListOf()

interface WorldOptions extends Partial<TurnsOptions> {
  readonly prices?: PriceList
  readonly chain?: readonly StandInSettings[]
  readonly budgets?: readonly SpendingBudget[]
  readonly ledger?: BookOptions['usage']
  /** The tools of that moment, where they change. */
  readonly current?: () => ToolView
}

const plain: Pick<TurnsOptions, 'skills' | 'memory' | 'describeImages' | 'hidePictures'> = {
  skills: async () => [],
  memory: async () => '',
  describeImages: async (input) => input,
  hidePictures: async (messages) => messages,
}

/** A model that says its script, one entry per step, and keeps what it was asked. */
export function world(
  script: readonly (readonly ModelEvent[] | ((request: ModelRequest) => AsyncIterable<ModelEvent>))[],
  ran: string[] = [],
  { chain = [], budgets = [], ledger: given, current, ...more }: WorldOptions = {},
) {
  const asked: ModelRequest[] = []
  const spent: Spent[] = []
  const ledger = given ?? {
    add: async (rows: readonly Spent[]) => void spent.push(...rows),
    reserve: async (_call: unknown, windows: readonly unknown[]) => ({
      id: 0,
      taken: windows.map(() => spent.map(({ provider, model, usage }) => ({ day: '2026-01-01', provider, model, usage }))),
    }),
    release: async () => undefined,
  }
  const commits: TurnRows[] = []
  const stored = new Map<string, Session>()
  const sessions = {
    find: async (id: string) => stored.get(id),
    byKey: async (key: string) => [...stored.values()].find((session) => session.key === key),
    heard: async (id: string) => sessions.history(id),
    history: async (id: string) => commits.filter((rows) => rows.session.id === id).flatMap((rows) => rows.messages),
    commit: async (rows: TurnRows) => {
      commits.push(rows)
      const created: NewSession | undefined = rows.session.create
      if (created) stored.set(rows.session.id, { ...created, id: rows.session.id, key: created.key ?? null } as Session)
    },
  } as unknown as Sessions
  const toolbox = createToolbox(ran)
  async function* stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    asked.push({ ...request, messages: structuredClone(request.messages) as ModelRequest['messages'] })
    const next = script[asked.length - 1] ?? [text('(script over)'), end()]
    yield* typeof next === 'function' ? next(request) : next
  }
  const models: TurnsOptions['models'] = { model: async ({ provider, model }) => ({ provider, model, stream }) }
  const turns = createTurns({
    sessions,
    book: createBook({
      usage: ledger,
      prices: more.prices ?? noPrices,
      budgets: () => budgets,
      clock: more.clock ?? clock,
      log: silentLog,
    }),
    late: createLateCommits(sessions, clock, silentLog),
    models,
    fallback: createFallback({ models: more.models ?? models, chain: () => chain, clock: more.clock ?? clock, log: silentLog }),
    hooks: createHooks({ clock, log: silentLog }),
    ...{ clock, log: silentLog },
    ...{ choose: () => ({ provider: 'script', model: 'm', implicit: false }), workspace: '/work' },
    maxSteps: 4,
    apiTimeoutMs: 60_000,
    approvalTimeoutMs: 1000,
    random: () => 0.5,
    toolsetsOf: () => undefined,
    ...plain,
    ...{ hintFor: () => undefined, rules: () => noRules, ...unlimited },
    ...more,
    get toolbox() {
      return current?.() ?? more.toolbox ?? toolbox
    },
  })
  const run = async (
    request: TurnRequest = hello,
    signal: AbortSignal = new AbortController().signal,
    hear: (event: TurnEvent) => void = () => undefined,
  ): Promise<TurnEvent[]> => {
    const events: TurnEvent[] = []
    for await (const event of turns.run(request, createCall(signal))) {
      events.push(event)
      hear(event)
    }
    return events
  }
  return { turns, run, asked, commits, spent }
}

/** Tools of which only `echo` works. */
function createToolbox(ran: string[]): ToolView {
  return {
    specs: () => [spec],
    reachable: () => new Set(),
    isReplaySafe: () => false,
    prepare: async (request: ToolRequest, turn: ToolTurn): Promise<PreparedCall> => {
      const outcome = { id: request.id, name: request.name, ok: request.name === 'echo', text: `${request.name} ${request.args}` }
      if (request.name !== 'echo' || !turn.tools.has('echo'))
        return { ready: false, args: {}, preview: '', done: { outcome, durationMs: 0 } }
      const run = async () => {
        ran.push(request.id)
        return { outcome, durationMs: 1 }
      }
      return { ready: true, args: {}, preview: request.args, parallel: true, replaySafe: false, mayChangeFiles: true, run }
    },
  }
}

export const typesOf = (events: readonly TurnEvent[]): readonly string[] => events.map((event) => event.type)
export const last = (events: readonly TurnEvent[]) => events.at(-1) as Extract<TurnEvent, { type: 'message.complete' }>
