import { answerMemory } from './answers/answer-memory.ts'
import type { SlashCommand } from './slash.ts'

/** A person sees and decides about the memory of the conversation in which the command is given, and of no other. */
export const memoryCommand: SlashCommand = {
  name: 'memory',
  aliases: [],
  args: '[show|pending|approve ID|reject ID|approval on|off]',
  summary: 'See what is remembered, and decide about changes that wait',
  surfaces: ['cli', 'gateway'],
  run: async ({ args, door, services }) => {
    // The setting is that of everybody.
    const maySet = door.chat?.mayUse({ ...memoryCommand, adminOnly: true }) !== false
    door.say(
      await door.run('/memory', (signal) => answerMemory(services.memory, { args, owner: door.owner, maySet, name: '/memory', signal })),
    )
  },
}
