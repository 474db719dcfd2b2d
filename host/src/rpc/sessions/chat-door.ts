import { homedir } from 'node:os'
import { fail } from '@agent/plugin-sdk/errors'
import type { SlashDoor } from '#commands/slash.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import { shortenHome } from '#tools/shell/expand-home.ts'
import type { ChatJournal } from './chat-journal.ts'
import type { HubState } from './hub-state.ts'
import { dropPrompts, type LiveSession, tell } from './live-session.ts'

/** The door of a command that is given in a browser. */
export function createChatDoor(
  hub: HubState,
  session: LiveSession,
  { say, ask, startBackground }: Pick<SlashDoor, 'say' | 'ask' | 'startBackground'>,
): SlashDoor {
  const { sessions } = hub.ground.agent.store
  return {
    surface: 'cli',
    owner: profileOwner,
    ...{ say, ask, startBackground },
    status: () => describeChat(hub, session),
    session: () => (session.known > 0 ? session.id : undefined),
    working: () => [session.id],
    startNew: async (title) => {
      await leaveTurn(hub, session)
      if (session.known > 0) await sessions.end(session.id, 'new')
      tell(session, { type: 'session.next', session_id: hub.create(title).id })
    },
    interrupt: () => stopAll(session),
    keepTitle: (title) => {
      session.title = title
      tell(session, { type: 'session.title', title })
      return true
    },
    reasoning: () => session.reasoning,
    setReasoning: (setting) => {
      session.reasoning = setting
    },
    followModel: () => {
      session.wish = {}
    },
    resume: async (reference) => {
      const { id, title } = await sessions.resolve(reference)
      await leaveTurn(hub, session)
      tell(session, { type: 'session.next', session_id: id })
      return `Goes on with ${title ? `"${title}" (${id})` : id}.`
    },
    run: async (_command, work) => {
      const controller = new AbortController()
      session.commands.add(controller)
      try {
        return await work(controller.signal)
      } finally {
        session.commands.delete(controller)
      }
    },
    leave: () => say('There is nothing to leave here: close the page.'),
  }
}

/** Aborts what runs in the foreground; what waits goes on. */
export function interrupt({ turn, commands }: LiveSession): boolean {
  const running = [...commands, ...(turn ? [turn.controller] : [])]
  for (const each of running) each.abort(fail('INTERRUPTED'))
  return running.length > 0
}

/** Aborts what runs beside the conversation, too. */
export function stopAll(session: LiveSession): boolean {
  const beside = [...session.background.keys()]
  for (const each of beside) each.abort(fail('INTERRUPTED'))
  return interrupt(session) || beside.length > 0
}

/** The turn that runs and the prompts that wait belong to the session that is left. */
async function leaveTurn({ ground }: HubState, session: LiveSession): Promise<void> {
  dropQueue(session, ground.journal)
  const { turn } = session
  turn?.controller.abort(fail('INTERRUPTED'))
  await turn?.over
}

function dropQueue(session: LiveSession, journal: ChatJournal | undefined): void {
  const [ordinal] = session.queue.flatMap((entry) => (entry.type === 'prompt' ? [entry.ordinal] : []))
  dropPrompts(session, journal, () => true)
  session.queue = []
  if (ordinal === undefined) return
  session.nextOrdinal = ordinal
  tell(session, { type: 'session.truncated', ordinal })
}

async function describeChat({ ground }: HubState, session: LiveSession): Promise<string> {
  const { agent, folder } = ground
  const model = agent.choose(session.wish)
  const stored = await agent.store.sessions.find(session.id)
  const name = stored ? `the session ${stored.title ? `"${stored.title}" (${stored.id})` : stored.id}` : 'a new session'
  const waits = session.queue.length
  return [
    `${model.provider}/${model.model} answers in ${name}, in ${shortenHome(folder, homedir())}.`,
    describeSandbox(await agent.sandbox.level(), agent.loaded.config.terminal.sandbox),
    session.turn ? 'I work on what you said last.' : 'Nothing is going on here.',
    ...(waits > 0 ? [`${waits} of your messages ${waits === 1 ? 'waits' : 'wait'}.`] : []),
    ...[...session.background.values()].map((prompt) => `In the background I work on: ${prompt}`),
  ].join('\n')
}
