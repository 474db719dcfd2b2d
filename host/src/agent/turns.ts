import type {
  ApprovalChoice,
  Call,
  Clock,
  Log,
  ModelMessage,
  ReasoningEffort,
  SkillSummary,
  ToolSpec,
  TurnEvent,
  TurnRequest,
  Turns,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { linkSignal } from '#kernel/call.ts'
import type { Hooks } from '#kernel/hooks.ts'
import { newId } from '#kernel/ids.ts'
import type { ChatModel, Models } from '#models/open.ts'
import type { ModelChoice } from '#models/select.ts'
import type { Step } from '#store/journal.ts'
import type { NewSession, Session, Sessions, TurnRows } from '#store/sessions.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox.ts'
import { noUsage } from './ask-model.ts'
import { createEventQueue } from './event-queue.ts'
import type { LateCommits } from './late-commits.ts'
import { buildSystemPrompt } from './prompt.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createSessionRecord, turnRows } from './session-record.ts'
import { mendTranscript, replaySteps } from './transcript.ts'
import { runTurn, type Turn, type TurnEnd, type TurnRecord } from './turn.ts'

export interface TurnsOptions {
  readonly sessions: Sessions
  readonly late: LateCommits
  readonly models: Pick<Models, 'model'>
  /** Read when a turn begins, which keeps it to its end. */
  readonly toolbox: ToolView
  readonly hooks: Hooks
  readonly clock: Clock
  readonly log: Log
  /** Which model answers a request; throws NO_PROVIDER and its kin. */
  readonly choose: (wish: { provider?: string; model?: string }) => ModelChoice
  readonly workspace: string
  readonly maxSteps: number
  readonly apiTimeoutMs: number
  readonly approvalTimeoutMs: number
  readonly random: () => number
  /** Said after the core prompt in every turn, and never stored. */
  readonly ephemeral?: string | undefined
  /** How hard the model thinks unless a request says otherwise. */
  readonly reasoning?: ReasoningEffort | undefined
  /** Ids of the toolsets that a door has; undefined: all. */
  readonly toolsetsOf: (source: string) => readonly string[] | undefined
  /** What the prompt of a new session names. */
  readonly skills: () => Promise<readonly SkillSummary[]>
  /** Said to the model about the platform that a request came from. */
  readonly hintFor: (source: string) => string | undefined
}

/** How a messaging door takes part in a turn: it writes the journal and may bring steps from before a crash. */
export interface Recorded {
  readonly record: (rows: (end: TurnEnd) => TurnRows | null) => TurnRecord
  readonly steps: readonly Step[]
  /** What people added since it was asked last; it is asked before each further step. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined
}

export interface AgentTurns extends Turns {
  /** A turn whose steps and end go to the journal instead of straight to the session store. */
  runRecorded(request: TurnRequest, call: Call, recorded: Recorded): AsyncIterable<TurnEvent>
  /** Under which key a session was begun, also while its first turn still runs; undefined without one. */
  keyOf(session: string): Promise<string | undefined>
  /** Resolves when all turns that run now have ended. */
  settled(): Promise<void>
  /** How many turns run now, and how many have run. */
  activity(): { readonly running: number; readonly finished: number }
}

/** The one way to talk to the agent: every door calls `run`. */
export function createTurns(options: TurnsOptions): AgentTurns {
  const state: State = {
    options,
    questions: createQuestions(options.clock),
    busy: new Set(),
    fresh: new Map(),
    running: 0,
    finished: 0,
    approved: new Map(),
    specs: new WeakMap(),
    playing: new Set(),
  }
  return {
    run: (request, call) => start(state, request, call),
    runRecorded: (request, call, recorded) => start(state, request, call, recorded),
    answer: async (id, value) => state.questions.answer(id, value),
    keyOf: async (session) => {
      const fresh = [...state.fresh].find(([, id]) => id === session)
      return fresh?.[0] ?? (await options.sessions.find(session))?.key ?? undefined
    },
    settled: async () => void (await Promise.all(state.playing)),
    activity: () => ({ running: state.running, finished: state.finished }),
  }
}

/** Tools as the model sees them, and the same as JSON. */
interface Tools {
  readonly specs: readonly ToolSpec[]
  readonly text: string
}

interface State {
  readonly options: TurnsOptions
  readonly questions: Questions
  /** Sessions that answer something now. */
  readonly busy: Set<string>
  /** Sessions that were begun under a key and are not stored yet: whoever comes with that key meanwhile shares them. */
  readonly fresh: Map<string, string>
  running: number
  finished: number
  /** What people allowed for the rest of a session. */
  readonly approved: Map<string, Set<string>>
  /** The tools that new sessions start with, by the toolsets that they have. */
  readonly specs: WeakMap<ToolView, Map<string, Tools>>
  /** Each turn that runs; none of them rejects. */
  readonly playing: Set<Promise<void>>
}

function start(state: State, request: TurnRequest, call: Call, recorded?: Recorded): AsyncIterable<TurnEvent> {
  const abandoned = new AbortController()
  const queue = createEventQueue<TurnEvent>(() => abandoned.abort(fail('INTERRUPTED')))
  const unlink = linkSignal(abandoned, call.signal)
  const leave = (): void => {
    state.running--
    state.finished++
    unlink()
  }
  state.running++
  const playing = play(state, request, abandoned.signal, queue.push, recorded)
    .finally(leave)
    .then(
      () => queue.end(),
      (error: unknown) => queue.end(error),
    )
    .finally(() => state.playing.delete(playing))
  state.playing.add(playing)
  return queue
}

type Emit = (event: TurnEvent) => void

async function play(state: State, request: TurnRequest, signal: AbortSignal, emit: Emit, recorded?: Recorded): Promise<void> {
  const stored = await findSession(state.options.sessions, request)
  const key = !stored && request.session && 'key' in request.session ? request.session.key : undefined
  const id = stored?.id ?? (key === undefined ? undefined : state.fresh.get(key)) ?? newId('ses')
  const exclusive = request.history === undefined
  if (exclusive && state.busy.has(id)) throw fail('SESSION_WAITING', { session: id })
  if (exclusive) state.busy.add(id)
  if (key !== undefined) state.fresh.set(key, id)
  const onStored = (): void => void (key !== undefined && state.fresh.delete(key))
  try {
    const turn = await prepareTurn(state, { request, signal, emit, id, stored, recorded, onStored })
    await runTurn(turn)
    if (recorded) onStored()
    if (turn.toolTurn.approved.size > 0) state.approved.set(id, turn.toolTurn.approved)
  } catch (error) {
    onStored()
    throw error
  } finally {
    if (exclusive) state.busy.delete(id)
  }
}

async function findSession(sessions: Sessions, request: TurnRequest): Promise<Session | undefined> {
  if (!request.session) return undefined
  if ('key' in request.session) return sessions.byKey(request.session.key)
  const found = await sessions.find(request.session.id)
  if (!found) throw fail('SESSION_NOT_FOUND', { session: request.session.id })
  return found
}

interface Start {
  readonly request: TurnRequest
  readonly signal: AbortSignal
  readonly emit: Emit
  readonly id: string
  readonly stored: Session | undefined
  readonly recorded: Recorded | undefined
  /** The session can be found by its key from now on. */
  readonly onStored: () => void
}

async function prepareTurn(live: State, begin: Start): Promise<Turn> {
  // What a reload changes meanwhile is for the turns after this one.
  const state: State = { ...live, options: { ...live.options } }
  const { options } = state
  const { id, stored } = begin
  const choice = options.choose(wishOf(begin.request, stored))
  const model = await options.models.model(choice)
  const fresh = stored ? undefined : await newSession(state, begin, model)
  if (fresh && options.hooks.has('session.start'))
    void options.hooks.call('session.start', { session: id, source: fresh.source, provider: model.provider, model: model.model })
  const earlier = mendTranscript(begin.request.history ?? (stored ? await options.sessions.history(id) : []))
  const replay = replaySteps(begin.recorded?.steps ?? [], (tool) => options.toolbox.isReplaySafe(tool))
  const turnId = newId('trn')
  const request = await askHooks(options, begin, turnId)
  const user: ModelMessage = { role: 'user', parts: request.input }
  const messages = [...earlier, user, ...replay.messages]
  const tools = parseSpecs(toolsFor(state, request.source), stored?.tools)
  return {
    id: turnId,
    session: id,
    request: withEphemeral(request, options.ephemeral),
    system: stored?.system ?? fresh?.system ?? '',
    tools,
    model,
    reasoning: request.reasoning ?? options.reasoning,
    messages,
    from: earlier.length,
    maxSteps: options.maxSteps,
    apiTimeoutMs: options.apiTimeoutMs,
    signal: begin.signal,
    toolbox: options.toolbox,
    toolTurn: toolTurnOf(state, begin, turnId, tools),
    hooks: options.hooks,
    clock: options.clock,
    log: options.log,
    record: recordOf(options, begin, fresh, () => messages.slice(earlier.length)),
    open: replay.open,
    steer: begin.recorded?.steer,
    random: options.random,
    usage: noUsage,
    calls: 0,
    emit: begin.emit,
  }
}

/** `turn.before`: plugins may change what is asked, for this turn only. */
async function askHooks({ hooks }: TurnsOptions, { request, id }: Start, turn: string): Promise<TurnRequest> {
  if (!hooks.has('turn.before')) return request
  const payload = { turn, session: id, source: request.source, input: request.input, instructions: request.instructions }
  const { input, instructions } = await hooks.call('turn.before', payload)
  return instructions === undefined ? { ...request, input } : { ...request, input, instructions }
}

function withEphemeral(request: TurnRequest, ephemeral: string | undefined): TurnRequest {
  if (!ephemeral) return request
  return { ...request, instructions: request.instructions === undefined ? ephemeral : `${ephemeral}\n\n${request.instructions}` }
}

function wishOf(request: TurnRequest, stored: Session | undefined): { provider?: string; model?: string } {
  const provider = request.provider ?? (request.model ? undefined : stored?.provider)
  const model = request.model ?? (request.provider ? undefined : stored?.model)
  return { ...(provider ? { provider } : {}), ...(model ? { model } : {}) }
}

/** A stored session keeps the tools it started with; mostly they are still the same. */
function parseSpecs({ specs, text }: Tools, stored: string | undefined): readonly ToolSpec[] {
  return stored === undefined || stored === text ? specs : (JSON.parse(stored) as ToolSpec[])
}

/** The tools that a new session of this door starts with. */
function toolsFor({ options, specs }: State, source: string): Tools {
  const only = options.toolsetsOf(source)
  const key = only?.join(',') ?? '*'
  const ofView = specs.get(options.toolbox) ?? new Map<string, Tools>()
  specs.set(options.toolbox, ofView)
  const known = ofView.get(key)
  if (known) return known
  const found = options.toolbox.specs(only)
  const tools = { specs: found, text: JSON.stringify(found) }
  ofView.set(key, tools)
  return tools
}

async function newSession(state: State, begin: Start, model: ChatModel): Promise<NewSession> {
  const { options } = state
  const { request } = begin
  const { specs, text } = toolsFor(state, request.source)
  return {
    key: request.session && 'key' in request.session ? request.session.key : null,
    source: request.source,
    provider: model.provider,
    model: model.model,
    system: buildSystemPrompt({
      workspace: options.workspace,
      day: new Date(options.clock.now()).toISOString().slice(0, 10),
      platformHint: options.hintFor(request.source),
      tools: specs.length > 0,
      skills: specs.some(({ name }) => name === 'skill_view') ? await options.skills() : [],
    }),
    tools: text,
    workspace: options.workspace,
  }
}

function recordOf(options: TurnsOptions, begin: Start, fresh: NewSession | undefined, messages: () => readonly ModelMessage[]): TurnRecord {
  if (begin.recorded) return begin.recorded.record((end) => turnRows(end, begin.id, fresh, options.clock.now()))
  // A stateless caller keeps the conversation itself: its answer need not wait until it is stored.
  const late = begin.request.history ? options.late : undefined
  const { id: session, onStored } = begin
  return createSessionRecord({ late, onStored, sessions: options.sessions, session, create: fresh, messages, now: options.clock.now })
}

function toolTurnOf(state: State, begin: Start, turn: string, tools: readonly ToolSpec[]): ToolTurn {
  const { options, questions } = state
  const { request, emit, signal } = begin
  return {
    turn,
    session: begin.id,
    workspace: options.workspace,
    canAnswer: request.canAnswer,
    door: request.source,
    tools: new Set(tools.map(({ name }) => name)),
    approved: state.approved.get(begin.id) ?? new Set<string>(),
    signal: begin.signal,
    approve: async ({ tool, subject, reason, choices }) => {
      const { id, answer } = questions.open({ what: 'the approval', timeoutMs: options.approvalTimeoutMs, signal })
      emit({ type: 'approval.request', id, tool, subject, reason, choices })
      const choice = await answer
      return choices.find((each): each is ApprovalChoice => each === choice) ?? 'deny'
    },
    ask: async ({ question, choices }) => {
      if (!request.canAnswer) throw fail('NOBODY_TO_ASK', { what: question })
      const { id, answer } = questions.open({ what: 'the question', timeoutMs: options.approvalTimeoutMs, signal })
      emit({ type: 'clarify.request', id, question, choices })
      return answer
    },
    progress: (id, text) => emit({ type: 'tool.progress', id, text }),
  }
}
