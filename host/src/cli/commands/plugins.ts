import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { openCatalog } from '../open-catalog.ts'
import { addAuthorCommands } from '../plugins/add-author-commands.ts'
import { findPlugin } from '../plugins/find-plugin.ts'
import { addInstallCommands } from '../plugins/install/add-commands.ts'
import { printInfo, printJson, printList, printWhy } from '../plugins/print-plugins.ts'

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
  add('info <plugin>', 'what a plugin brings, reads and may do').action(async (word: string, { json }: Options) => {
    const plugin = findPlugin((await openCatalog(cli)).catalog, word)
    if (json) printJson(cli, [plugin])
    else printInfo(cli, plugin)
  })
  add('why <plugin>', 'why a plugin, or one part of it (kind:name), runs or does not').action(async (word: string, { json }: Options) => {
    const plugin = findPlugin((await openCatalog(cli)).catalog, word)
    if (json) printJson(cli, [plugin])
    else
      printWhy(
        cli,
        plugin,
        plugin.contributions.find(({ kind, id }) => `${kind}:${id}` === word),
      )
  })
  add('enable <plugin>', 'switch a plugin on').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'on', options)
  })
  add('disable <plugin>', 'switch a plugin off').action(async (word: string, options: Options) => {
    await (await import('../plugins/switch-plugin.ts')).switchPlugin(cli, word, 'off', options)
  })
  add('doctor', 'look for what is wrong; exit code 1 when something is').action(async (options: Options) => {
    await (await import('../plugins/diagnose.ts')).diagnosePlugins(cli, options)
  })
  addInstallCommands(plugins, cli)
  addAuthorCommands(plugins, cli)
  return plugins
}
