import type { TakenBack } from '#store/sessions.ts'
import type { SlashCommand } from './slash.ts'

export const undoCommand: SlashCommand = {
  name: 'undo',
  aliases: [],
  args: '',
  summary: 'Take back what you said last, and the answer to it',
  surfaces: ['cli', 'gateway'],
  run: async ({ door, services }) => {
    const id = door.session()
    if (id === undefined) return door.say('There is no session yet: say something first.')
    const files = services.checkpoints.enabled() ? ' Files stay as they are; /rollback lists the states that you can go back to.' : ''
    door.say(await door.run('/undo', async () => `${sayTakenBack(await services.alone(id, () => services.sessions.takeBack(id)))}${files}`))
  },
}

const shownText = 80

/** What was taken out of a conversation, in one line. */
export function sayTakenBack(taken: TakenBack | undefined): string {
  if (!taken) return 'There is nothing to take back: nobody has said anything here.'
  const { messages, kept } = taken
  const text = taken.text.replace(/\s+/g, ' ').trim()
  const letters = [...text]
  const shown = letters.length > shownText ? `${letters.slice(0, shownText).join('')}…` : text
  const after = messages === 1 ? '' : ` and what came after it (${countMessages(messages)} in all)`
  return `Taken back: ${shown === '' ? 'what was said last' : `"${shown}"`}${after}. ${kept === 0 ? 'Nothing is left.' : `${countMessages(kept)} ${kept === 1 ? 'is' : 'are'} left.`}`
}

const countMessages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`
