import type { Command } from 'commander'
import { contractKinds } from '#kernel/kinds.ts'
import type { Cli } from '../console/cli.ts'
import type { CheckOptions } from './check/check-plugin.ts'
import type { CreateOptions } from './create/create-plugin.ts'
import type { DevelopOptions } from './dev/develop-plugin.ts'
import type { PublishOptions } from './publish/publish-plugin.ts'

/** The commands of people who write plugins. */
export function addAuthorCommands(plugins: Command, cli: Cli): void {
  const add = (usage: string, summary: string): Command => plugins.command(usage).description(summary).option('--json', 'as JSON')
  add(
    'create <kind> <name>',
    `write a new plugin that works, to begin with: ${contractKinds.slice(0, -1).join(', ')} or ${contractKinds.at(-1)}`,
  )
    .option('--dir <folder>', 'where; inside this folder, as KIND-NAME, unless told')
    .action(async (kind: string, name: string, options: CreateOptions) => {
      await (await import('./create/create-plugin.ts')).createPlugin(cli, kind, name, options)
    })
  add('build [folder]', 'write the manifest and the bundles of a plugin').action(
    async (folder: string | undefined, options: { readonly json?: true }) => {
      await (await import('./check/build-plugin.ts')).buildPlugin(cli, folder ?? '.', options)
    },
  )
  add('check [folder]', 'try a plugin by every rule; exit code 1 when one does not hold')
    .option('--junit <file>', 'also write a report as JUnit XML')
    .option('--only <rules...>', 'only these rules, such as errors')
    .option('--verbose', 'with what the plugin logs and writes')
    .option('--watch', 'again on every change, until Ctrl-C')
    .option('--inspect [port]', 'wait for a debugger on 127.0.0.1, and let it look inside; port 9229 unless told')
    .option('--list-rules [kind]', 'print every rule, or those of one kind, and try nothing')
    .action(async (folder: string | undefined, { listRules, ...options }: CheckOptions & { readonly listRules?: string | true }) => {
      if (listRules) return await (await import('./check/list-rules.ts')).listRules(cli, listRules, options)
      await (await import('./check/check-plugin.ts')).checkPlugin(cli, folder ?? '.', options)
    })
  add('publish [folder]', 'build, check and pack a plugin, show what others would get, and publish it where npm does')
    .option('--dry-run', 'show it and stop there: do this first')
    .option('--tag <tag>', 'the tag under which npm keeps it, such as next; latest unless told')
    .action(async (folder: string | undefined, options: PublishOptions) => {
      await (await import('./publish/publish-plugin.ts')).publishPlugin(cli, folder ?? '.', options)
    })
  plugins
    .command('dev [folder]')
    .description('run a plugin while it is written, and again on every change, until Ctrl-C')
    .option('--set <key=value>', 'a setting of the temporary gateway, such as platforms.NAME.extra.KEY=VALUE; repeatable', collect, [])
    .option(
      '--inspect [port]',
      "let a debugger look inside on 127.0.0.1: the plugin runs in the temporary gateway's process; port 9229 unless told",
    )
    .option('--traffic', 'also print each request and each connection of the plugin, without what is said in them')
    .action(async (folder: string | undefined, options: DevelopOptions) => {
      await (await import('./dev/develop-plugin.ts')).developPlugin(cli, folder ?? '.', options)
    })
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
