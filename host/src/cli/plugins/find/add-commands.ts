import type { Command } from 'commander'
import type { Cli } from '../../console/cli.ts'
import type { SearchOptions } from './search.ts'

/** The commands of `agent plugins` that look for what is not installed; their code is loaded when one of them runs. */
export function addFindCommands(plugins: Command, cli: Cli): void {
  const add = (usage: string, summary: string): Command =>
    plugins
      .command(usage)
      .description(summary)
      .option('--kind <kind>', 'only plugins of this kind, such as platform')
      .option('--json', 'as JSON')
  add('search [words...]', 'look for plugins in the registry').action(async (words: readonly string[], options: SearchOptions) =>
    (await import('./search.ts')).search(cli, words, options),
  )
  add('browse', 'the plugins of the registry, what is fetched most first, or the newest').action(async (options: SearchOptions) =>
    (await import('./search.ts')).browse(cli, options),
  )
}
