import type { CommandsManifest } from '@agent/plugin-sdk'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { SlashCommand } from './slash.ts'

/** The commands of plugins that may run, from their manifests alone. */
export function pluginCommands(catalog: Pick<Catalog, 'of'>): readonly SlashCommand[] {
  return catalog
    .of('commands')
    .flatMap((contribution) => contribution.spec.commands.map((command) => toSlashCommand(contribution, command)))
}

function toSlashCommand(contribution: Contribution<'commands'>, { prompt, ...about }: CommandsManifest['commands'][number]): SlashCommand {
  const { name } = about
  if (prompt !== undefined)
    return { ...about, asks: true, run: ({ args, door }) => door.ask(prompt.replaceAll('{args}', () => args).trim()) }
  return {
    ...about,
    run: async ({ args, door, services }) => {
      const session = door.session()
      const request = { name, args, surface: door.surface, ...(session === undefined ? {} : { session }) }
      const text = await door.run(`/${name}`, (signal) => services.runCommand(contribution, request, signal))
      if (text !== '') door.say(text)
    },
  }
}
