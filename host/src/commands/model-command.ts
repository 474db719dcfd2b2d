import type { SlashCommand } from './slash.ts'

/** The model of the home, as `agent model` chooses it: on a platform it is for admins. */
export const modelCommand: SlashCommand = {
  name: 'model',
  aliases: [],
  args: '[provider] [model]',
  summary: 'List the providers, or choose the model that answers',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    door.say(
      await door.run('/model', async (signal) => {
        const { said, kept } = await services.model(args, door.surface, signal)
        if (kept) door.followModel?.()
        return said
      }),
    )
  },
}
