import type { InputPart } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { findSlash, offeredCommands, slashSkills } from '#commands/slash-table.ts'
import { newId } from '#kernel/ids.ts'
import type { EventFrame, RpcMethods, ShownFile } from '../protocol.ts'
import { interrupt, stopAll } from './chat-door.ts'
import type { ChatGround } from './chat-ground.ts'
import { createFollowSettings } from './follow-settings.ts'
import type { HubState } from './hub-state.ts'
import {
  dropPrompts,
  isBusy,
  type LiveSession,
  openLiveSession,
  remember,
  type Submitted,
  saidOf,
  settled,
  tell,
  type Watcher,
} from './live-session.ts'
import { catchUp, loadSession } from './load-session.ts'
import { enter } from './run-entries.ts'

type Params<Method extends keyof RpcMethods> = RpcMethods[Method]['params']
type Result<Method extends keyof RpcMethods> = RpcMethods[Method]['result']

/** The open sessions of a profile, for all who watch them. */
export interface Hub {
  create(title: string | undefined): string
  /** Makes the session ready, so that what follows can look at it and begin to watch in one moment. */
  load(id: string): Promise<OpenSession>
  /** `input` is what is said in place of the text, and `files` what is shown of the files in it. */
  submit(
    params: Omit<Params<'prompt.submit'>, 'files'> & { readonly input?: readonly InputPart[]; readonly files?: readonly ShownFile[] },
  ): Promise<Submitted>
  /** Resolves when all that was submitted to the session is over. */
  settled(id: string): Promise<void>
  /** What holds for the turns of this session from now on. */
  choose(id: string, wishes: Partial<SessionWishes>): Promise<SessionWishes>
  interrupt(id: string): Promise<boolean>
  /** Stops a child agent that works for the session; false where none of this id does. */
  interruptChild(session: string, id: string): boolean
  rename(id: string, title: string): Promise<string>
  /** Answers an approval or a question; false where nobody waits for that. */
  answer(type: 'approval.request' | 'clarify.request', request: string, value: string): Promise<boolean>
  commands(): Result<'commands.catalog'>['commands']
  runPanel(params: Params<'panel.run'>): Promise<Result<'panel.run'>>
  /** Tells the id of a panel whose pages show something else now. */
  onPanelChanged(listener: (panel: string) => void): () => void
  checkRuntime(): Promise<void>
  close(): Promise<void>
}

/** How the turns of a session are taken, where it is not as the settings say. */
export type SessionWishes = Pick<LiveSession, 'wish' | 'approvals' | 'reasoning'>

export interface OpenSession {
  readonly title: string | undefined
  readonly status: LiveSession['status']
  events(): readonly EventFrame[]
  since(seq: number): Result<'session.events.since'>
  watch(watcher: Watcher): () => void
}

/** So many sessions stay in memory although nobody watches them. */
const mostIdle = 20
const mostQueued = 100

export function openHub(ground: ChatGround): Hub {
  const { agent } = ground
  const ending = new AbortController()
  const loading = new Map<string, Promise<LiveSession>>()
  const sessions = new Map<string, LiveSession>()
  const state: HubState = {
    ...{ ground, sessions, followSettings: createFollowSettings(agent) },
    create: (title) => {
      const session = openLiveSession(ground, newId('ses'), 0)
      session.title = title
      sessions.set(session.id, session)
      ground.journal?.create(session.id)
      forgetIdle(state)
      return session
    },
    onIdle: () => forgetIdle(state),
  }
  const deaf = agent.onTitled((id, title) => {
    const open = sessions.get(id)
    if (open) tell(open, { type: 'session.title', title })
  })
  const find = (id: string): Promise<LiveSession> => {
    const open = sessions.get(id)
    if (open) return Promise.resolve(open)
    const under = loading.get(id) ?? load(state, id).finally(() => loading.delete(id))
    loading.set(id, under)
    return under
  }
  return {
    create: (title) => state.create(title).id,
    load: async (id) => openSession(state, await find(id)),
    submit: async (params) => {
      const session = await find(params.session_id)
      const taken = session.gate.then(() => submit(state, session, params))
      session.gate = taken.catch(() => undefined)
      return taken
    },
    settled: async (id) => settled(await find(id)),
    choose: async (id, wishes) => {
      const { wish, approvals, reasoning } = Object.assign(await find(id), wishes)
      return { wish, approvals, reasoning }
    },
    interrupt: async (id) => interrupt(await find(id)),
    interruptChild: (session, id) => {
      const child = agent.turns.children(session).find((each) => each.id === id)
      child?.stop()
      return child !== undefined
    },
    rename: async (id, title) => rename(state, await find(id), title),
    answer: (type, request, value) => answer(state, type, request, value),
    commands: () =>
      [...offeredCommands(agent.catalog, 'cli'), ...slashSkills(ground.services)].map(({ name, summary, args }) => ({
        name,
        summary,
        args,
      })),
    runPanel: async ({ panel, item, ...request }) => {
      await state.followSettings()
      return agent.panels.run(panel, { ...request, ...(item === undefined ? {} : { item }) }, ending.signal)
    },
    onPanelChanged: (listener) => agent.panels.onChanged(listener),
    checkRuntime: async () => {
      await state.followSettings()
      await agent.models.model(agent.choose({}))
    },
    close: async () => {
      ending.abort(fail('INTERRUPTED'))
      deaf()
      await leaveAll([...sessions.values()])
    },
  }
}

/** What waits is left to the next process, which finds it in the journal. */
async function leaveAll(sessions: readonly LiveSession[]): Promise<void> {
  for (const session of sessions) {
    session.queue = []
    session.watchers.clear()
    stopAll(session)
  }
  await Promise.all(sessions.map(({ busy }) => busy))
}

async function load(state: HubState, id: string): Promise<LiveSession> {
  const session = await loadSession(state, id)
  state.sessions.set(id, session)
  return session
}

async function openSession(state: HubState, session: LiveSession): Promise<OpenSession> {
  const open = session.log.isWhole() || isBusy(session) ? session : await load(state, session.id)
  await catchUp(state, open)
  const stored = await state.ground.agent.store.sessions.find(open.id)
  return {
    title: stored?.title ?? open.title,
    get status() {
      return open.status
    },
    events: open.log.all,
    since: open.log.since,
    watch: (watcher) => {
      open.watchers.add(watcher)
      return () => {
        open.watchers.delete(watcher)
        forgetIdle(state)
      }
    },
  }
}

/** Sessions that nobody watches and that do nothing go, the oldest first: they can be made again of what is stored. */
function forgetIdle({ sessions }: HubState): void {
  const idle = [...sessions.values()].filter(
    ({ watchers, busy, background }) => watchers.size === 0 && busy === undefined && background.size === 0,
  )
  for (const { id } of idle.slice(0, Math.max(0, idle.length - mostIdle))) sessions.delete(id)
}

async function submit(state: HubState, session: LiveSession, params: Parameters<Hub['submit']>[0]): Promise<Submitted> {
  const { id, text, input, files, truncate_before_user_ordinal: from } = params
  const before = session.submitted.get(id)
  if (before) return before
  const parsed = findSlash(state.ground.services, text, 'cli')
  if (parsed && files) throw fail('HTTP_INVALID', { param: 'files', problem: 'a slash command takes none' })
  if (!parsed && session.queue.length >= mostQueued) throw fail('SESSION_WAITING', { session: session.id })
  const ordinal = ordinalOf(session, from)
  // What cannot be kept takes nothing away.
  if (!parsed) await state.ground.journal?.accept(session.id, { id, ordinal, input: saidOf({ text, input }) })
  try {
    if (from !== undefined) await truncate(state, session, ordinal)
  } catch (error) {
    if (!parsed) state.ground.journal?.end(session.id, id)
    throw error
  }
  const result: Submitted = parsed ? { accepted: true } : { accepted: true, ordinal: session.nextOrdinal++ }
  remember(session, id, result)
  enter(
    state,
    session,
    parsed ? { type: 'command', id, text, parsed } : { type: 'prompt', id, text, input, files, ordinal: session.nextOrdinal - 1 },
  )
  return result
}

/** Of the next prompt, which stands in the place of all from `wanted` on. */
function ordinalOf({ nextOrdinal }: LiveSession, wanted = nextOrdinal): number {
  if (wanted <= nextOrdinal) return wanted
  throw fail('HTTP_INVALID', { param: 'truncate_before_user_ordinal', problem: `there are only ${nextOrdinal} prompts` })
}

/** Takes out the prompts from `ordinal` on, those that are answered or wait as well. */
async function truncate({ ground }: HubState, session: LiveSession, ordinal: number): Promise<void> {
  if (ordinal === session.nextOrdinal) return
  dropPrompts(session, ground.journal, (prompt) => prompt.ordinal >= ordinal)
  if (session.turn && session.turn.ordinal >= ordinal) {
    session.turn.controller.abort(fail('INTERRUPTED'))
    await session.turn.over
  }
  const keep = session.marks[ordinal]
  if (keep !== undefined && keep < session.known) {
    await ground.agent.store.sessions.truncate(session.id, keep)
    session.known = keep
  }
  session.marks = session.marks.slice(0, ordinal)
  session.nextOrdinal = ordinal
  tell(session, { type: 'session.truncated', ordinal })
}

async function rename({ ground }: HubState, session: LiveSession, wanted: string): Promise<string> {
  const title = session.known > 0 ? await ground.agent.store.sessions.rename(session.id, wanted) : wanted
  session.title = session.known > 0 ? undefined : wanted
  tell(session, { type: 'session.title', title })
  return title
}

async function answer(
  { ground, sessions }: HubState,
  type: 'approval.request' | 'clarify.request',
  request: string,
  value: string,
): Promise<boolean> {
  for (const { questions } of sessions.values()) {
    const asked = questions.find(request)
    if (!asked || asked.type !== type) continue
    if (asked.type === 'approval.request' && !asked.choices.some((choice) => choice === value))
      throw fail('HTTP_INVALID', { param: 'choice', problem: `it is one of ${asked.choices.join(', ')}` })
    const taken = await ground.agent.turns.answer(request, value)
    questions.close(request, value)
    return taken
  }
  return false
}
