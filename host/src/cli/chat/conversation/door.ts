import type { SlashDoor } from '#commands/slash.ts'
import type { TalkState } from './talk.ts'

/** The door of a command that is given at this terminal. */
export function createDoor(talk: TalkState, { ask, interrupt }: Pick<SlashDoor, 'ask' | 'interrupt'>): SlashDoor {
  const { agent, audience } = talk.options
  return {
    surface: 'cli',
    say: audience.say,
    session: () => talk.sessionId,
    startNew: async (title) => {
      interrupt()
      await talk.turn?.over
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
    setReasoning: (setting) => (talk.reasoning = setting),
    ask,
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
