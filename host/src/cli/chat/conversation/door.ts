import { fail } from '@agent/plugin-sdk/errors'
import type { SlashDoor } from '#commands/slash.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import { describeTalk } from './describe-talk.ts'
import { recall } from './recall.ts'
import type { TalkState } from './talk.ts'

/** The door of a command that is given at this terminal. */
export function createDoor(
  talk: TalkState,
  { ask, interrupt, startBackground }: Pick<SlashDoor, 'ask' | 'interrupt' | 'startBackground'>,
): SlashDoor {
  const { agent, audience } = talk.options
  return {
    surface: 'cli',
    owner: profileOwner,
    say: audience.say,
    sayRows: audience.sayRows,
    status: () => describeTalk(talk),
    session: () => talk.sessionId,
    working: () => (talk.sessionId === undefined ? [] : [talk.sessionId]),
    startNew: async (title) => {
      await leaveTurn(talk)
      if (talk.sessionId !== undefined) await agent.store.sessions.end(talk.sessionId, 'new')
      talk.session = undefined
      talk.sessionId = undefined
      talk.title = title
    },
    interrupt,
    keepTitle: (title) => {
      talk.title = title
      return true
    },
    reasoning: () => talk.reasoning,
    setReasoning: (setting) => {
      talk.reasoning = setting
    },
    followModel: () => {
      const { provider: _provider, model: _model, ...rest } = talk.wish
      talk.wish = rest
    },
    ask,
    startBackground,
    resume: (reference) => resume(talk, reference),
    run: async (_command, work) => {
      const controller = new AbortController()
      talk.commands.add(controller)
      audience.changed()
      try {
        return await work(controller.signal)
      } finally {
        talk.commands.delete(controller)
      }
    },
    leave: audience.leave,
  }
}

/** The turn that runs belongs to the session that is left. */
async function leaveTurn({ turn }: TalkState): Promise<void> {
  turn?.abort(fail('INTERRUPTED'))
  await turn?.over
}

async function resume(talk: TalkState, reference: string): Promise<string> {
  const { store } = talk.options.agent
  const session = await store.sessions.resolve(reference)
  await leaveTurn(talk)
  talk.session = { id: session.id }
  talk.sessionId = session.id
  talk.title = undefined
  return recall(store.sessions, session)
}
