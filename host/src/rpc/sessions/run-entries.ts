import type { TurnEvent } from '@agent/plugin-sdk'
import { detailOf, fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import { createCall } from '#kernel/calls/call.ts'
import type { Sessions } from '#store/sessions.ts'
import { createChatDoor } from './chat-door.ts'
import type { HubState } from './hub-state.ts'
import { type ChatEntry, cutTo, isBusy, type LiveSession, type Prompt, saidOf, tell, tellStatus } from './live-session.ts'

type Command = Extract<ChatEntry, { type: 'command' }>

/** Takes an entry: now, or when what runs is over. */
export function enter(hub: HubState, session: LiveSession, entry: ChatEntry): void {
  // Commands answer at once, so that one can be given while the agent works.
  if (entry.type === 'command' && !(isBusy(session) && entry.parsed.command.asks)) {
    const over = runCommand(hub, session, entry).finally(() => session.given.delete(over))
    session.given.add(over)
    return
  }
  session.queue.push(entry)
  if (!isBusy(session)) start(hub, session)
  else if (entry.type === 'prompt') tell(session, { ...shownOf(entry), type: 'prompt.queued' })
}

function start(hub: HubState, session: LiveSession): void {
  const work = async (): Promise<void> => {
    for (let entry = session.queue.shift(); entry; entry = session.queue.shift())
      await (entry.type === 'prompt' ? answerPrompt(hub, session, entry) : runCommand(hub, session, entry))
    session.busy = undefined
    hub.onIdle()
  }
  session.busy = Promise.resolve()
  session.busy = work()
}

const shownOf = ({ id, text, ordinal, files }: Prompt) => ({ id, text, ordinal, ...(files === undefined ? {} : { files }) })

/** Rejects never: what fails is told as an event. */
async function answerPrompt(hub: HubState, session: LiveSession, prompt: Prompt): Promise<void> {
  const { agent, journal } = hub.ground
  const controller = new AbortController()
  const over = new AbortController()
  session.turn = {
    ordinal: prompt.ordinal,
    controller,
    over: new Promise((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true })),
  }
  session.marks[prompt.ordinal] = session.known
  const { id, ordinal } = prompt
  journal?.begin(session.id, { id, ordinal, input: saidOf(prompt) }, session.known)
  tell(session, { ...shownOf(prompt), type: 'prompt.accepted' })
  tellStatus(session)
  try {
    await hub.followSettings()
    const request = { ...requestOf(hub, session, prompt), ...prompt.more, beginAs: session.id }
    const behind = (event: TurnEvent): void => {
      if (event.type === 'approval.request') hear(session, event)
    }
    for await (const event of agent.turns.run(request, createCall(controller.signal), { behind })) {
      // What somebody has read is still there after a crash.
      journal?.hear(session.id, event)
      hear(session, event)
    }
  } catch (error) {
    // It failed before it began: no provider is configured, or another process has the session.
    if (!isAgentError(error)) agent.log.error('a turn failed inside', { session: session.id, error: detailOf(error) })
    const wire = toWireError(error)
    tell(session, { type: 'error', error: wire, text: fromWireError(wire).message, retryable: false })
    tell(session, { type: 'message.complete', text: '', status: controller.signal.aborted ? 'interrupted' : 'failed', stop: 'stop' })
  }
  journal?.end(session.id, id)
  await settle(hub, session)
  session.turn = undefined
  session.questions.closeAll()
  over.abort()
  tellStatus(session)
}

function requestOf({ ground: { source } }: HubState, session: LiveSession, prompt: Pick<Prompt, 'text' | 'input'>): DoorRequest {
  const { reasoning, wish } = session
  return {
    ...{ input: saidOf(prompt), source, canAnswer: true, approvals: () => session.approvals },
    ...(wish.provider ? { provider: wish.provider } : {}),
    ...(wish.model ? { model: wish.model } : {}),
    ...(reasoning.effort ? { reasoning: reasoning.effort } : {}),
  }
}

function hear(session: LiveSession, event: TurnEvent): void {
  if (event.type === 'approval.request' || event.type === 'clarify.request') session.questions.ask(event)
  tell(session, event)
  tellStatus(session)
}

/** Takes note of what is stored now; a title that was given early is set. */
async function settle({ ground }: HubState, session: LiveSession): Promise<void> {
  const { sessions } = ground.agent.store
  try {
    session.known = (await sessions.find(session.id))?.messages ?? 0
    if (session.title === undefined || session.known === 0) return
    const title = await sessions.rename(session.id, await sessions.nextTitle(session.title))
    if (title !== session.title) tell(session, { type: 'session.title', title })
    session.title = undefined
  } catch (error) {
    ground.agent.log.error('a session was not looked at', { session: session.id, error: detailOf(error) })
  }
}

/** Rejects never: what fails is said as its output. */
async function runCommand(hub: HubState, session: LiveSession, { id, text, parsed: { command, args } }: Command): Promise<void> {
  const { services } = hub.ground
  const say = (output: string): void => tell(session, { type: 'command.output', id, text: output })
  tell(session, { type: 'command.accepted', id, text })
  let asked = 0
  const door = createChatDoor(hub, session, {
    say,
    ask: (question, more = {}) =>
      enter(hub, session, { type: 'prompt', id: `${id}:${++asked}`, text: question, ordinal: session.nextOrdinal++, more }),
    startBackground: (prompt) => void runBeside(hub, session, prompt, say),
  })
  const rename = async (each: string, title: string): Promise<string> => {
    const stored = await services.sessions.rename(each, title)
    if (each === session.id) tell(session, { type: 'session.title', title: stored })
    return stored
  }
  const takeBack: Sessions['takeBack'] = async (each) => {
    // Prompts that wait are counted from those before them.
    if (isBusy(session) && each === session.id) throw fail('SESSION_WAITING', { session: each })
    const taken = await services.sessions.takeBack(each)
    if (taken && each === session.id) cutTo(session, taken.kept)
    return taken
  }
  try {
    await command.run({ args, door, services: { ...services, sessions: { ...services.sessions, rename, takeBack } } })
  } catch (error) {
    if (!isAgentError(error)) hub.ground.agent.log.error('a command failed inside', { command: command.name, error: detailOf(error) })
    say(detailOf(error))
  }
}

const mostBeside = 4
const shownPrompt = 60

/** A turn in a separate session; its end is told. */
async function runBeside(hub: HubState, session: LiveSession, prompt: string, say: (text: string) => void): Promise<void> {
  const { background } = session
  if (background.size >= mostBeside) return say(`I already work on ${background.size} things in the background. /stop ends them.`)
  const shown = prompt.length > shownPrompt ? `${prompt.slice(0, shownPrompt)}…` : prompt
  const controller = new AbortController()
  background.set(controller, shown)
  say(`I work on it in the background: ${shown}`)
  try {
    for await (const event of hub.ground.agent.turns.run(requestOf(hub, session, { text: prompt }), createCall(controller.signal))) {
      if (event.type === 'approval.request' || event.type === 'clarify.request') hear(session, event)
      if (event.type === 'error') say(event.text)
      if (event.type === 'message.complete') say(`Done in the background: ${shown}\n\n${event.text}`)
    }
  } catch (error) {
    say(detailOf(error))
  } finally {
    background.delete(controller)
  }
}
