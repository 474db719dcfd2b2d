import { profileOwner } from '#tools/memory/owner.ts'
import { answerJobs, type JobAsker } from './jobs/answer-jobs.ts'
import type { SlashCommand, SlashDoor } from './slash.ts'

/** Who gave a command about jobs. */
export function askerIn({ owner, origin }: SlashDoor): JobAsker {
  return { owner, isStranger: owner !== profileOwner, door: origin?.door, origin: origin?.key, people: origin?.people }
}

/** Each person sees and changes the jobs of the conversation in which the command is given, and of no other. */
export const cronCommand: SlashCommand = {
  name: 'cron',
  aliases: [],
  args: '[list|add|edit|pause|resume|run|remove|history]',
  summary: 'See and change jobs, which are done at a time',
  surfaces: ['cli', 'gateway'],
  knownOnly: true,
  run: async ({ args, door, services }) =>
    door.say(await door.run('/cron', async () => answerJobs(await services.jobs.desk(), askerIn(door), args))),
}
