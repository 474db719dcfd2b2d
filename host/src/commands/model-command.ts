import { sayRows } from './say-rows.ts'
import type { SlashCommand, TermRow } from './slash.ts'

/** The model of the home, as `agent model` chooses it: on a platform it is for admins. */
export const modelCommand: SlashCommand = {
  name: 'model',
  aliases: [],
  args: '[provider] [model]',
  summary: 'List the providers, or choose the model that answers',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    let rows: readonly TermRow[] = []
    const said = await door.run('/model', async (signal) => {
      const reply = await services.model(args, door.surface, signal)
      if (reply.kept) door.followModel?.()
      rows = reply.rows ?? []
      return reply.said
    })
    if (rows.length > 0) sayRows(door, rows)
    door.say(said)
  },
}
