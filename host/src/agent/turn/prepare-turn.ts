import type {
  ApprovalChoice,
  Clock,
  Log,
  ModelMessage,
  ReasoningEffort,
  SkillSummary,
  ToolSpec,
  TurnEvent,
  TurnRequest,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Checkpoints } from '#checkpoints/checkpoints.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { newId } from '#kernel/ids.ts'
import type { CheckForeign } from '#kernel/schema/check-foreign.ts'
import type { Book } from '#models/book.ts'
import type { ChatModel, Models } from '#models/open.ts'
import { payerOf, servedBy } from '#models/payer.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { ModelWish } from '#models/select.ts'
import { type Fallback, nameOf } from '#models/stand-ins.ts'
import type { TitleWriter } from '#models/titles/write-titles.ts'
import type { Step } from '#store/journal.ts'
import type { NewSession, Session, Sessions } from '#store/sessions.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import type { ApprovalRequest, ToolTurn, TurnAgents } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import type { AskedOptions } from '../context/compress-session.ts'
import type { ContextFit, TurnContext } from '../context/fit-context.ts'
import type { Background } from '../delegation/background.ts'
import type { ChildOf } from '../delegation/child-of.ts'
import { fitsChild } from '../delegation/child-tools.ts'
import { concludeLost } from '../delegation/conclude-children.ts'
import type { DelegateOptions, Delegating } from '../delegation/delegate.ts'
import type { LeftBehind } from '../delegation/left-behind.ts'
import { inTurn } from '../delegation/tree.ts'
import type { DescribeImages } from '../images/describe-images.ts'
import type { HidePictures } from '../images/hide-pictures.ts'
import { jobRightsOf, type RequestBounds } from '../jobs/job-rights.ts'
import type { Rules } from '../rules/read-rules.ts'
import { describeFormat, guardFormat } from './answer-form.ts'
import { noUsage } from './ask-model.ts'
import { restoreSteps } from './client-tools.ts'
import type { LateCommits } from './late-commits.ts'
import { describeTools, type OfferedTools, offerTools } from './offer-tools.ts'
import { buildSystemPrompt } from './prompt.ts'
import type { Questions } from './questions.ts'
import type { RecentSteps } from './recent-steps.ts'
import { callsOf, openTurn, replaySteps } from './transcript.ts'
import type { Turn } from './turn.ts'

export interface TurnsOptions {
  readonly sessions: Sessions
  /** Where it is written down what model calls take. */
  readonly book: Book
  readonly late: LateCommits
  /** Nobody writes titles where it is absent. */
  readonly titles?: TitleWriter | undefined
  readonly models: Pick<Models, 'model'>
  readonly fallback: Fallback
  /** Read when a turn begins, which keeps it to its end. */
  readonly toolbox: ToolView
  readonly hooks: HookDispatcher
  readonly clock: Clock
  readonly log: Log
  /** Which model answers a request; throws NO_PROVIDER and its kin. */
  readonly choose: (wish: ModelWish) => ModelChoice
  readonly checkpoints?: Pick<Checkpoints, 'forTurn'> | undefined
  readonly workspace: string
  /** What the settings say of child agents; absent: turns have none. */
  readonly delegation?: (Pick<DelegateOptions, 'settings' | 'choice' | 'children'> & { readonly left?: LeftBehind }) | undefined
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
  /** What the prompt of a new session names, by the tools that it may use. */
  readonly skills: (reachable: ReadonlySet<string>) => Promise<readonly SkillSummary[]>
  /** What people wrote down for the agent; read when a session begins, and what is left out of it is said. */
  readonly rules: () => Rules
  /** What the prompt of a new session says about what its owner has the agent remember. */
  readonly memory: (owner: string, signal: AbortSignal) => Promise<string>
  /** Pictures for a model that does not see. */
  readonly describeImages: DescribeImages
  /** Earlier ones, where another model answers now. */
  readonly hidePictures: HidePictures
  /** Keeps what a model hears inside its window. */
  readonly fit: ContextFit
  /** Makes a stored conversation shorter where a person asks for it. */
  readonly shortening: AskedOptions
  /** Said to the model about the platform that a request came from. */
  readonly hintFor: (source: string) => string | undefined
}

/** Tools as the model sees them, and the same as JSON. */
export interface Tools {
  readonly specs: readonly ToolSpec[]
  readonly text: string
  /** Names of all of them, and of those that the model is not shown. */
  readonly reachable: ReadonlySet<string>
}

/** What turns have in common. */
export interface SharedByTurns {
  readonly options: TurnsOptions
  readonly questions: Questions
  /** What people allowed for the rest of a session. */
  readonly approved: Map<string, Set<string>>
  /** What waits for results of callers. */
  readonly recent: RecentSteps
  readonly checkForeign: CheckForeign
  /** Makes the child agents of a turn; absent where nobody has any. */
  readonly delegate?: ((begin: Beginning, turn: Pick<Delegating, 'turn' | 'approved' | 'tools'>) => TurnAgents) | undefined
  /** The tools that new sessions start with, by the toolsets that they have. */
  readonly specs: WeakMap<ToolView, Map<string, Tools>>
}

/** What a door asks for, as the host passes it on. */
export interface DoorRequest extends TurnRequest, RequestBounds {
  /** Others than the owner of this machine reach the door. */
  readonly isPublic?: boolean
  /** Who is answered, by the id that the door has for him. */
  readonly person?: string
  /** Whose memory and earlier sessions the turn may use; absent: those of the owner of the profile. A session keeps the one that it began with. */
  readonly owner?: string
  /** The id of a session that the door has given out before its first turn: it goes on, or begins with this id. */
  readonly beginAs?: string
  /** How its person wants to be asked, of the moment; absent: as the settings say. */
  readonly approvals?: ToolTurn['approvals']
  /** It is the turn of a child agent. */
  readonly child?: ChildOf
  /** How many child agents there were in the tree that it goes on with: it answers what came of one of them. */
  readonly spawned?: number | undefined
}

/** What a turn begins with. */
export interface Beginning {
  readonly request: DoorRequest
  readonly signal: AbortSignal
  readonly emit: (event: TurnEvent) => void
  /** Id of the session. */
  readonly id: string
  readonly stored: Session | undefined
  /** Steps from before a crash. */
  readonly steps: readonly Step[]
  readonly steer?: Turn['steer']
  /** Where a journal keeps what the turn does. */
  readonly recordStep?: Turn['recordStep']
  /** How child agents may work on behind the turn. */
  readonly background?: (() => Background) | undefined
}

/** Finds model, session, prompt, tools and messages of a turn. */
export async function prepareTurn(shared: SharedByTurns, begin: Beginning): Promise<Omit<Turn, 'recordStep'>> {
  const { options } = shared
  // What a reload changes meanwhile is for the turns after this one.
  const { toolbox } = options
  const { id, stored } = begin
  // A session's first model does not count: the configuration of now answers unless a person names a model.
  const choice = begin.request.child?.choice ?? options.choose(begin.request)
  const chosen = await options.models.model(choice)
  const standIns = options.fallback.after(chosen)
  const model = (options.fallback.isResting(chosen) && (await standIns.next())) || chosen
  const fresh = stored ? undefined : await newSession(shared, toolbox, begin, model)
  if (fresh && options.hooks.has('session.start'))
    void options.hooks.call('session.start', { session: id, source: fresh.source, provider: model.provider, model: model.model })
  if (begin.request.responseFormat) await guardFormat(begin.request.responseFormat, shared.checkForeign)
  if (begin.steps.length > 0) await concludeLost(options.sessions, begin.steps)
  const replay = replaySteps(begin.steps, (tool) => toolbox.isReplaySafe(tool))
  const turnId = newId('trn')
  const asked = await askHooks(options, begin, turnId)
  const hasPicture = asked.input.some(({ type }) => type === 'image')
  const request = hasPicture ? { ...asked, input: await options.describeImages(asked.input, model, begin) } : asked
  const { messages, begins } = openTurn(await earlierOf(shared, begin), request)
  const current = toolsFor(shared, toolbox, begin.request)
  const tools = offerTools(parseSpecs(current, stored?.tools), request, current.reachable)
  return {
    id: turnId,
    session: id,
    create: fresh,
    request: withEphemeral(request, [options.ephemeral, describeTools(tools, options.workspace)]),
    isPublic: begin.request.isPublic === true,
    payer: payerOf(begin),
    system: stored?.system ?? fresh?.system ?? '',
    tools,
    model,
    chosen: nameOf(chosen),
    fallback: options.fallback,
    standIns,
    reasoning: request.reasoning ?? options.reasoning,
    messages: [...messages, ...replay.messages],
    begins,
    from: messages.length,
    context: contextOf(begin, messages.length - begins.length),
    fit: options.fit,
    maxSteps: begin.request.child?.maxSteps ?? options.maxSteps,
    apiTimeoutMs: options.apiTimeoutMs,
    signal: begin.signal,
    toolbox,
    toolTurn: toolTurnOf(shared, begin, turnId, tools),
    checkpoint: checkpointOf(options, begin),
    hooks: options.hooks,
    hidePictures: options.hidePictures,
    clock: options.clock,
    checkForeign: shared.checkForeign,
    log: options.log,
    open: replay.open,
    steer: begin.steer,
    random: options.random,
    usage: noUsage,
    calls: 0,
    ...{ booked: [], book: options.book, isBudgetLifted: false, notes: [] },
    emit: begin.emit,
  }
}

/** The turn that a child works for keeps the files. */
function checkpointOf({ checkpoints, workspace }: TurnsOptions, { id: session, signal, emit, request }: Beginning): Turn['checkpoint'] {
  if (request.child && !request.child.isBackground) return undefined
  return checkpoints?.forTurn({ workspace, session, signal, say: (text) => emit({ type: 'status', kind: 'notice', text }) })
}

/** What was said before. A caller that keeps the conversation itself sends it, and is helped out with the calls that it was not told of. */
async function earlierOf({ options, recent }: SharedByTurns, { request, id, stored }: Beginning): Promise<readonly ModelMessage[]> {
  const { history } = request
  if (!history) {
    const heard = stored ? await options.sessions.heard(id) : []
    // Calls without results are the end of a turn that was cut off, and so are the children that worked for it.
    if (options.delegation && request.results === undefined && isOpenEnd(heard)) await options.sessions.endChildren(id, 'interrupted')
    return heard
  }
  const calls = history.flatMap((message) => (message.role === 'assistant' ? callsOf(message).map((call) => call.id) : []))
  if (calls.length === 0) return history
  return restoreSteps(history, [...(stored ? await options.sessions.history(id) : []), ...recent.find(calls)])
}

function isOpenEnd(messages: readonly ModelMessage[]): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && callsOf(last).length > 0
}

/** How long the conversation is so far, where it is one of the store. */
function contextOf({ request, stored }: Beginning, upTo: number): TurnContext {
  const isOwn = request.history === undefined
  const tokens = isOwn ? stored?.context : undefined
  return {
    stored: isOwn ? (stored?.messages ?? 0) : undefined,
    known: typeof tokens === 'number' ? { tokens, upTo } : undefined,
    ...{ gained: [], isStuck: false, wasRefused: false },
  }
}

/** `turn.before`: plugins may change what is asked, for this turn only. */
async function askHooks({ hooks }: TurnsOptions, { request, id }: Beginning, turn: string): Promise<TurnRequest> {
  if (!hooks.has('turn.before')) return request
  const payload = { turn, session: id, source: request.source, input: request.input, instructions: request.instructions }
  const { input, instructions } = await hooks.call('turn.before', payload)
  return instructions === undefined ? { ...request, input } : { ...request, input, instructions }
}

function withEphemeral(request: TurnRequest, more: readonly (string | undefined)[]): TurnRequest {
  const form = request.responseFormat && describeFormat(request.responseFormat)
  const instructions = [...more, request.instructions, form].filter(Boolean).join('\n\n')
  return instructions === '' ? request : { ...request, instructions }
}

/** A stored session keeps the tools it started with; mostly they are still the same. */
function parseSpecs({ specs, text }: Tools, stored: string | undefined): readonly ToolSpec[] {
  return stored === undefined || stored === text ? specs : (JSON.parse(stored) as ToolSpec[])
}

/** The tools that a new session of this door starts with. */
function toolsFor({ options, specs }: SharedByTurns, toolbox: ToolView, request: DoorRequest): Tools {
  const only = request.agentTools === false ? [] : toolsetsFor(options, request)
  if (request.child) return readTools(toolbox, only, fitsChild(request.child))
  const key = only?.join(',') ?? '*'
  const ofView = specs.get(toolbox) ?? new Map<string, Tools>()
  specs.set(toolbox, ofView)
  const known = ofView.get(key)
  if (known) return known
  const tools = readTools(toolbox, only)
  ofView.set(key, tools)
  return tools
}

function readTools(toolbox: ToolView, ...which: Parameters<ToolView['specs']>): Tools {
  const found = toolbox.specs(...which)
  return { specs: found, text: JSON.stringify(found), reachable: toolbox.reachable(...which) }
}

/** What the door has, narrowed by what the request says; undefined: all. */
function toolsetsFor({ toolsetsOf }: TurnsOptions, { source, asDoors = [], toolsets }: DoorRequest): readonly string[] | undefined {
  const lists = [...[source, ...asDoors].map(toolsetsOf), toolsets].filter((list) => list !== undefined)
  const [first, ...more] = lists
  return more.length === 0 ? first : first?.filter((id) => more.every((list) => list.includes(id)))
}

export async function newSession(shared: SharedByTurns, toolbox: ToolView, begin: Beginning, model: ChatModel): Promise<NewSession> {
  const { options } = shared
  const { request } = begin
  const { specs, text, reachable } = toolsFor(shared, toolbox, request)
  const rules = options.rules()
  for (const text of rules.notes) begin.emit({ type: 'status', kind: 'notice', text })
  return {
    key: request.session && 'key' in request.session ? request.session.key : null,
    source: request.child ? 'subagent' : request.source,
    parent: request.child?.parent ?? null,
    provider: model.provider,
    model: model.model,
    system: buildSystemPrompt({
      workspace: options.workspace,
      day: new Date(options.clock.now()).toISOString().slice(0, 10),
      platformHint: request.child ? undefined : options.hintFor(request.source),
      tools: specs.length > 0 || (request.clientTools?.length ?? 0) > 0,
      skills: specs.some(({ name }) => name === 'skill_view') ? await options.skills(reachable) : [],
      rules,
      // Who may not use the tool has no memory.
      memory: specs.some(({ name }) => name === 'memory') ? await options.memory(ownerIn(begin), begin.signal) : '',
    }),
    tools: text,
    workspace: options.workspace,
    owner: ownerIn(begin),
  }
}

/** A session keeps the owner that it began with, also when another person goes on with it. */
export function ownerIn({ stored, request }: Pick<Beginning, 'stored' | 'request'>): string {
  return stored?.owner ?? request.owner ?? profileOwner
}

function keyIn({ request: { session }, stored }: Beginning): Pick<ToolTurn, 'sessionKey'> {
  const key = session && 'key' in session ? session.key : stored?.key
  return key ? { sessionKey: key } : {}
}

function toolTurnOf(shared: SharedByTurns, begin: Beginning, turn: string, tools: OfferedTools): ToolTurn {
  const { options } = shared
  const { request, signal } = begin
  const { child } = request
  const approved = child?.approved ?? shared.approved.get(begin.id) ?? new Set<string>()
  return {
    turn,
    rootTurn: child?.tree.turn ?? turn,
    session: begin.id,
    owner: ownerIn(begin),
    workspace: options.workspace,
    canAnswer: request.canAnswer,
    door: request.source,
    ...keyIn(begin),
    ...{ tools: tools.own, reachable: tools.reachable, served: servedBy(begin) },
    ...{ approved, signal, isChild: child !== undefined, approvals: request.approvals, instructions: request.instructions },
    jobRights: () => jobRightsOf(request),
    ...askingOf(shared, begin),
    progress: (id, text) => begin.emit({ type: 'tool.progress', id, text }),
    ...agentsOf(shared, begin, { turn, approved, tools: () => new Set([...tools.own, ...tools.reachable]) }),
  }
}

function agentsOf(
  { delegate }: SharedByTurns,
  begin: Beginning,
  turn: Pick<Delegating, 'turn' | 'approved' | 'tools'>,
): Pick<ToolTurn, 'agents'> {
  if (!delegate) return {}
  let made: TurnAgents | undefined
  const agents = (): TurnAgents => (made ??= delegate(begin, turn))
  const settled = async (): Promise<void> => made?.settled()
  return { agents: { run: (tasks, call) => agents().run(tasks, call), start: (tasks) => agents().start(tasks), settled } }
}

function askingOf({ options, questions }: SharedByTurns, { request, emit, signal }: Beginning): Pick<ToolTurn, 'approve' | 'ask'> {
  const { child } = request
  const approve: ToolTurn['approve'] = async (wanted) => {
    const { id, answer } = questions.open({ what: 'the approval', timeoutMs: options.approvalTimeoutMs, signal })
    emit({ type: 'approval.request', id, ...wanted })
    const choice = await answer
    return wanted.choices.find((each): each is ApprovalChoice => each === choice) ?? 'deny'
  }
  return {
    approve: child ? (wanted) => inTurn(child.tree, { clock: options.clock, signal }, () => approve(forChild(child, wanted))) : approve,
    ask: async ({ question, choices }) => {
      if (!request.canAnswer || child) throw fail('NOBODY_TO_ASK', { what: question })
      const { id, answer } = questions.open({ what: 'the question', timeoutMs: options.approvalTimeoutMs, signal })
      emit({ type: 'clarify.request', id, question, choices })
      return answer
    },
  }
}

/** The person has not seen what the child was told. A model wrote it: in quotes it cannot pass for words of the host. */
function forChild({ goal }: ChildOf, wanted: ApprovalRequest): ApprovalRequest {
  return { ...wanted, reason: `${wanted.reason} (a child agent asks, whose task is: ${JSON.stringify(goal)})` }
}
