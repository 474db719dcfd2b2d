import type { Call, TurnEvent, Turns } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import { createForeignCheck } from '#kernel/schema/check-foreign.ts'
import type { Step } from '#store/journal.ts'
import type { Compression, Session, TurnRows } from '#store/sessions.ts'
import type { TurnAgents } from '#tools/tool-turn.ts'
import { shortenAsked } from '../context/compress-session.ts'
import type { Background } from '../delegation/background.ts'
import { childRequest } from '../delegation/child-request.ts'
import type { RunningChild } from '../delegation/children.ts'
import { concludeChild } from '../delegation/conclude-children.ts'
import { createDelegate, type DelegateOptions, type Delegating } from '../delegation/delegate.ts'
import type { ToldChildren } from '../delegation/left-behind.ts'
import { noUsage } from './ask-model.ts'
import {
  type Beginning,
  type DoorRequest,
  newSession,
  ownerIn,
  prepareTurn,
  type SharedByTurns,
  type TurnsOptions,
} from './prepare-turn.ts'
import { createQuestions } from './questions.ts'
import { openReader, type Reader } from './reader.ts'
import { createRecentSteps } from './recent-steps.ts'
import { closeTurn, lengthOf, runTurn, tellEnd } from './run-turn.ts'
import { createNoRecord, createSessionRecord } from './session-record.ts'
import { mendTranscript } from './transcript.ts'
import type { Turn, TurnEnd } from './turn.ts'

/** How a messaging door takes part in a turn: it writes down what the turn does before it goes on, and hears of it. */
export interface TurnDoor {
  /** Steps from before a crash. */
  readonly steps: readonly Step[]
  /** Resolves when the step is on disk. */
  readonly recordStep: (step: Step) => Promise<void>
  /** What people added since it was asked last; it is asked before each further step. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined
  readonly hear: (event: TurnEvent) => void
  /** How child agents may work on behind the turn; absent: they may not. */
  readonly background?: (() => Background) | undefined
}

/** How a request door takes part in a turn. */
export interface RequestDoor extends Pick<TurnDoor, 'steer'> {
  /** Child agents may work on behind the turn, and this hears what they ask; absent: they may not. */
  readonly behind?: ((event: TurnEvent) => void) | undefined
}

/** A turn that is over and is still to be written down. */
export interface EndedTurn extends TurnEnd {
  /** What its session gains; null when that is nothing. */
  readonly rows: TurnRows | null
  /** Lets others have the session: the rows are written, or nobody writes them. */
  release(): void
}

export interface AgentTurns extends Turns {
  run(request: DoorRequest, call: Call, door?: RequestDoor): AsyncIterable<TurnEvent>
  /** Runs a turn for a door that writes its end down itself. */
  take(request: DoorRequest, call: Call, door: TurnDoor): Promise<EndedTurn>
  /** Stores the session that a turn of a killed process would have begun, with what was said to it, as an interrupt does. Nobody is asked. */
  keepCut(request: DoorRequest, said: string, signal: AbortSignal): Promise<void>
  /** Makes a stored session shorter, with what is to be kept above all; undefined where there is nothing to be gained. It is alone with it. */
  compress(session: string, focus: string, signal: AbortSignal): Promise<Compression | undefined>
  /** Lets `work` have a stored session while no turn answers in it. Rejects with SESSION_WAITING where one does. */
  alone<Value>(session: string, work: (stored: Session) => Promise<Value>): Promise<Value>
  /** Under which key a session was begun, also while its first turn still runs; undefined without one. */
  keyOf(session: string): Promise<string | undefined>
  /** Resolves when all turns that run now have ended. */
  settled(): Promise<void>
  /** The child agents that work now for a session, in the order in which they began. */
  children(session: string): readonly RunningChild[]
  /** How many turns run now, and how many have run. */
  activity(): { readonly running: number; readonly finished: number }
}

/** The one way to talk to the agent. A request door calls `run`, and its turn is stored here; a messaging door calls `take`. */
export function createTurns(options: TurnsOptions): AgentTurns {
  const { delegation } = options
  const state: State = {
    ...{ options, questions: createQuestions(options.clock), approved: new Map(), specs: new WeakMap(), recent: createRecentSteps() },
    checkForeign: createForeignCheck(options.clock),
    ...{ busy: new Set(), fresh: new Map(), running: new Set(), finished: 0 },
    ...(delegation ? { delegate: (begin, turn) => delegateOf(state, delegation, { ...begin, ...turn }) } : {}),
  }
  return {
    run: (request, call, door) => run(state, request, call, door),
    take: (request, call, door) => count(state, take(state, request, call, door)),
    keepCut: (request, said, signal) => count(state, keepCut(state, request, said, signal)),
    compress: (session, focus, signal) => count(state, compress(state, session, focus, signal)),
    alone: (session, work) => count(state, alone(state, session, work)),
    answer: async (id, value) => state.questions.answer(id, value),
    keyOf: async (session) => {
      const fresh = [...state.fresh].find(([, id]) => id === session)
      return fresh?.[0] ?? (await options.sessions.find(session))?.key ?? undefined
    },
    settled: async () => void (await Promise.all(state.running)),
    children: (session) => delegation?.children.of(session) ?? [],
    activity: () => ({ running: state.running.size, finished: state.finished }),
  }
}

interface State extends SharedByTurns {
  /** Sessions that answer something now. */
  readonly busy: Set<string>
  /** Sessions that were begun under a key and are not stored yet: every turn that comes with that key meanwhile shares them. */
  readonly fresh: Map<string, string>
  /** Each turn that runs; none of them rejects. */
  readonly running: Set<Promise<void>>
  finished: number
}

function count<Value>(state: State, work: Promise<Value>): Promise<Value> {
  const end = (): void => {
    state.running.delete(over)
    state.finished++
  }
  const over = work.then(end, end)
  state.running.add(over)
  return work
}

function run(state: State, request: DoorRequest, call: Call, door?: RequestDoor): AsyncIterable<TurnEvent> {
  const reader = openReader(call, state.options.clock)
  count(state, runAndStore(state, request, reader, door)).then(
    () => reader.end(),
    (error: unknown) => reader.end(error),
  )
  return reader.events
}

async function runAndStore(
  state: State,
  asked: DoorRequest,
  { signal, emit, room }: Pick<Reader, 'signal' | 'emit' | 'room'>,
  door?: RequestDoor,
): Promise<{ readonly turn: Turn; readonly end: TurnEnd }> {
  const { sessions, late } = state.options
  const titles = asked.child ? undefined : state.options.titles
  const held = await holdSession(state, asked)
  titles?.begins(held.id)
  // Its caller keeps the conversation itself: the answer need not wait until it is stored, and what it took.
  const isStateless = asked.history !== undefined
  let told: ToldChildren | undefined
  try {
    const left = door?.behind && state.options.delegation?.left
    told = held.stored && (await left?.take(held.id))
    const request = withTold(asked, told)
    const hearBehind = door?.behind
    const background = left && hearBehind && (() => left.of(held.id, hearBehind))
    const prepared = await prepareTurn(state, { request, signal, emit, steps: [], steer: door?.steer, background, ...held })
    const record =
      request.store === false
        ? createNoRecord(held.onStored)
        : createSessionRecord({ sessions, turn: prepared, late: isStateless ? late : undefined, onStored: held.onStored })
    // A copy with one key more takes as long as a hundred of these.
    const turn: Turn = Object.assign(prepared, { recordStep: record.step, room })
    const end = await play(state, turn)
    if (end.clientCalls) state.recent.keep(end.clientCalls, end.messages)
    await Promise.all([record.end(end), ...(isStateless ? [] : turn.booked)])
    await told?.settle(end.messages.length > 0)
    tellEnd(turn, end)
    titles?.ended(turn, held.stored, end)
    return { turn, end }
  } catch (error) {
    held.onStored()
    await told?.settle(false)
    throw error
  } finally {
    held.free()
  }
}

/** What came of child agents since the last turn stands before what the person says. */
function withTold(request: DoorRequest, told: ToldChildren | undefined): DoorRequest {
  if (!told || told.texts.length === 0) return request
  const { texts, spawned } = told
  return { ...request, input: [...texts.map((text) => ({ type: 'text', text: `${text}\n\n` }) as const), ...request.input], spawned }
}

/** Whom a turn works for, also where the door cannot prove it. */
const speakerOf = ({ speakers, person }: DoorRequest): string | undefined => speakers?.people[0]?.sender.id ?? person

/** The child agents of a turn: their turns run and are stored like those of a request door, and nobody reads them but their parent. */
function delegateOf(
  state: State,
  options: Pick<DelegateOptions, 'settings' | 'choice' | 'children'>,
  {
    request,
    id,
    signal: _signal,
    emit,
    recordStep,
    turn,
    approved,
    tools,
    ...begin
  }: Beginning & Pick<Delegating, 'turn' | 'approved' | 'tools'>,
): TurnAgents {
  const { sessions, toolbox, clock, log, hooks } = state.options
  const owner = ownerIn({ ...begin, request })
  return createDelegate(
    {
      ...{ ...options, clock },
      run: async (child, task, signal, { hear, steer }) => {
        const asked = childRequest(request, owner, child, task)
        const ran = await count(state, runAndStore(state, asked, { signal, emit: hear, room: undefined }, { steer }))
        return { ...ran.end, model: ran.turn.model.model }
      },
      conclude: async (session, reason) => {
        if (request.store === false) return
        await concludeChild(sessions, session, reason).catch((error: unknown) =>
          log.warn('the end of a child agent could not be written down', { session, error: detailOf(error) }),
        )
        if (hooks.has('session.end')) void hooks.call('session.end', { session, reason })
      },
    },
    {
      ...{ turn, session: id, child: request.child, person: speakerOf(request), approved, tools, toolbox, emit },
      ...{ background: begin.background, spawned: request.spawned },
      recordChild: async (session) => recordStep?.({ type: 'child', session }),
    },
  )
}

async function take(state: State, request: DoorRequest, { signal }: Call, door: TurnDoor): Promise<EndedTurn> {
  const { steps, steer, recordStep, hear: emit, background } = door
  const { titles } = state.options
  const held = await holdSession(state, request)
  titles?.begins(held.id)
  const release = (): void => {
    held.onStored()
    held.free()
  }
  try {
    const turn: Turn = Object.assign(await prepareTurn(state, { request, signal, emit, steps, steer, recordStep, background, ...held }), {
      recordStep,
    })
    const end = await play(state, turn)
    const releaseStored = (): void => {
      release()
      titles?.ended(turn, held.stored, end)
    }
    return { rows: turnRows(turn, end), release: releaseStored, ...end }
  } catch (error) {
    release()
    throw error
  }
}

/** The rows of a whole turn, for a door whose journal commits them with its answer. */
function turnRows(turn: Turn, { messages, usage, calls }: TurnEnd): TurnRows | null {
  const { session: id, create, clock, context } = turn
  if (messages.length === 0 && (create || context.gained.length === 0)) return null
  return { session: create ? { id, create } : { id }, messages, usage, calls, at: clock.now(), ...lengthOf(turn) }
}

async function keepCut(state: State, request: DoorRequest, said: string, signal: AbortSignal): Promise<void> {
  const { sessions, models, toolbox, choose, clock } = state.options
  const { id, onStored, free } = await holdSession(state, request)
  try {
    const model = await models.model(choose(request))
    const begin = { ...{ request, signal, id, stored: undefined }, emit: () => undefined, steps: [] }
    const create = await newSession(state, toolbox, begin, model)
    const messages = closeTurn([{ role: 'user', parts: request.input }], 'interrupted', said)
    await sessions.commit({ session: { id, create }, messages, usage: noUsage, calls: 0, at: clock.now() })
  } finally {
    onStored()
    free()
  }
}

async function alone<Value>(state: State, id: string, work: (stored: Session) => Promise<Value>): Promise<Value> {
  // The first turn of a session is stored when it is over.
  if (state.busy.has(id)) throw fail('SESSION_WAITING', { session: id })
  const held = await holdSession(state, { input: [], source: '', canAnswer: false, session: { id } })
  try {
    if (!held.stored) throw fail('SESSION_NOT_FOUND', { session: id })
    return await work(held.stored)
  } finally {
    held.free()
  }
}

function compress(state: State, id: string, focus: string, signal: AbortSignal): Promise<Compression | undefined> {
  const { sessions, shortening, choose, clock } = state.options
  return alone(state, id, async (session) => {
    const heard = mendTranscript(await sessions.heard(id))
    const short = await shortenAsked(shortening, { session, heard, model: choose({}), focus }, signal)
    if (!short) return undefined
    const compression: Compression = { ...short, upTo: session.messages }
    const rows = { messages: [], usage: noUsage, calls: 0, compressions: [compression], context: short.tokensAfter }
    await sessions.commit({ session: { id }, at: clock.now(), ...rows })
    return compression
  })
}

async function play(state: State, turn: Turn): Promise<TurnEnd> {
  const startedAt = turn.clock.now()
  const end = await runTurn(turn)
  // Nothing goes on behind a turn that is over.
  await turn.toolTurn.agents?.settled()
  // What a person changes from now on is not the agent's.
  await turn.checkpoint?.after()
  tellHooks(turn, end, turn.clock.now() - startedAt)
  if (turn.toolTurn.approved.size > 0 && !turn.toolTurn.isChild) state.approved.set(turn.session, turn.toolTurn.approved)
  return end
}

interface HeldSession {
  readonly id: string
  readonly stored: Session | undefined
  /** It can be found by its key from now on, or will never be. */
  onStored(): void
  /** Another turn may answer in it. */
  free(): void
}

/** One turn at a time in a session, except for callers that keep the conversation themselves. */
async function holdSession(state: State, request: DoorRequest): Promise<HeldSession> {
  const { busy, fresh } = state
  const stored = await findSession(state.options, request)
  const key = !stored && request.session && 'key' in request.session ? request.session.key : undefined
  const id = stored?.id ?? request.beginAs ?? (key === undefined ? undefined : fresh.get(key)) ?? newId('ses')
  const exclusive = request.history === undefined
  if (exclusive && busy.has(id)) throw fail('SESSION_WAITING', { session: id })
  if (exclusive) busy.add(id)
  if (key !== undefined) fresh.set(key, id)
  return {
    ...{ id, stored },
    onStored: () => void (key !== undefined && fresh.delete(key)),
    free: () => void (exclusive && busy.delete(id)),
  }
}

async function findSession(options: TurnsOptions, request: DoorRequest): Promise<Session | undefined> {
  const { sessions } = options
  if (request.beginAs !== undefined) return inUse(options, await sessions.find(request.beginAs))
  if (!request.session) return undefined
  if ('key' in request.session) return inUse(options, await sessions.byKey(request.session.key))
  const found = await inUse(options, await sessions.find(request.session.id))
  if (!found) throw fail('SESSION_NOT_FOUND', { session: request.session.id })
  return found
}

const longUnused = 3_600_000

/** One that nobody has used for long counts as used before its turn begins, so that it is not deleted for its age meanwhile. */
async function inUse({ sessions, clock }: TurnsOptions, found: Session | undefined): Promise<Session | undefined> {
  if (!found || !(clock.now() - found.lastAt > longUnused)) return found
  return (await sessions.touch(found.id)) ? found : undefined
}

/** Nobody waits for those who watch. */
function tellHooks(
  { hooks, id: turn, session, request: { source }, model: { provider, model } }: Turn,
  end: TurnEnd,
  durationMs: number,
): void {
  if (!hooks.has('turn.end')) return
  const { status, usage, calls, error } = end
  void hooks.call('turn.end', { turn, session, source, provider, model, status, usage, calls, durationMs, error: error?.code ?? null })
}
