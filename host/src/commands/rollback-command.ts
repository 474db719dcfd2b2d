import { answerRollback } from './answers/answer-rollback.ts'
import type { SlashCommand } from './slash.ts'

/** It changes files of the owner's machine. */
export const rollbackCommand: SlashCommand = {
  name: 'rollback',
  aliases: [],
  args: '[N [all]|diff N|file N PATH]',
  summary: 'List the checkpoints of the files, or go back to one',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) =>
    door.say(
      await door.run('/rollback', (signal) => answerRollback(services.checkpoints, { args, session: door.session() ?? '', signal })),
    ),
}
