import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { openCatalog } from '../open-catalog.ts'
import { addAuthorCommands } from '../plugins/add-author-commands.ts'
import { addInstallCommands } from '../plugins/install/add-commands.ts'
import { printJson, printList } from '../plugins/print-plugins.ts'
import { addSeeCommands } from '../plugins/see/add-commands.ts'

interface Options {
  readonly json?: true
}

export function command(cli: Cli): Command {
  const plugins = new Command('plugins').description('See, install, enable and disable plugins.')
  const add = (usage: string, summary: string): Command => plugins.command(usage).description(summary).option('--json', 'as JSON')
  add('list', 'what is installed, and what of it may run').action(async ({ json }: Options) => {
    const { catalog } = await openCatalog(cli)
    if (json) printJson(cli, catalog.plugins)
    else printList(cli, catalog.plugins)
  })
  add('enable <plugin>', 'switch a plugin on').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'on', options)
  })
  add('disable <plugin>', 'switch a plugin off').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'off', options)
  })
  addSeeCommands(plugins, cli)
  addInstallCommands(plugins, cli)
  addAuthorCommands(plugins, cli)
  return plugins
}
