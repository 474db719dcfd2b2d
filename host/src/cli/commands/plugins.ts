import { Command } from 'commander'
import type { Cli } from '../console/cli.ts'
import { addAuthorCommands } from '../plugins/add-author-commands.ts'
import { addCatalogCommands } from '../plugins/catalogs/add-commands.ts'
import { addFindCommands } from '../plugins/find/add-commands.ts'
import { addInstallCommands } from '../plugins/install/add-commands.ts'
import { addPackCommands } from '../plugins/pack/add-commands.ts'
import { addSeeCommands } from '../plugins/see/add-commands.ts'

interface Options {
  readonly json?: true
}

export function command(cli: Cli): Command {
  const plugins = new Command('plugins').description('See, install, enable and disable plugins.')
  const add = (usage: string, summary: string): Command => plugins.command(usage).description(summary).option('--json', 'as JSON')
  addSeeCommands(plugins, cli)
  add('enable <plugin>', 'switch a plugin on').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'on', options)
  })
  add('disable <plugin>', 'switch a plugin off').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'off', options)
  })
  addFindCommands(plugins, cli)
  addInstallCommands(plugins, cli)
  addCatalogCommands(plugins, cli)
  addPackCommands(plugins, cli)
  addAuthorCommands(plugins, cli)
  return plugins
}
