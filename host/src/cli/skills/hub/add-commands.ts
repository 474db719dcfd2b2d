import type { Command } from 'commander'
import type { Cli } from '../../console/cli.ts'
import type { HubOptions } from './run-hub.ts'

type Run = typeof import('./run-hub.ts')

/** The commands of `agent skills` that deal with skills of others; their code is loaded when one of them runs. */
export function addHubCommands(skills: Command, cli: Cli): void {
  const load = (): Promise<Run> => import('./run-hub.ts')
  const add = (usage: string, summary: string): Command => skills.command(usage).description(summary).option('--json', 'as JSON')
  add('install <source> [skills...]', 'take skills from optional:<name>, git+<url>[#<commit>], https://<host>, npm:<package> or file:x.tgz')
    .option('-y, --yes', 'agree to what asks for a look; what is dangerous is refused all the same')
    .action(async (source: string, names: readonly string[], options: HubOptions) => (await load()).install(cli, source, names, options))
  add('inspect <source> [skills...]', 'look at the skills of a source; nothing is changed').action(
    async (source: string, names: readonly string[], options: HubOptions) => (await load()).inspect(cli, source, names, options),
  )
  add('check [skills...]', 'compare what is installed with its sources').action(async (names: readonly string[], options: HubOptions) =>
    (await load()).check(cli, names, options),
  )
  add('update [skills...]', 'take what their sources have now; what you have edited stays')
    .option('-y, --yes', 'agree to what asks for a look')
    .action(async (names: readonly string[], options: HubOptions) => (await load()).update(cli, names, options))
  add('remove <skill>', 'delete an installed skill')
    .option('-y, --yes', 'also where you have edited it')
    .action(async (name: string, options: HubOptions) => (await load()).remove(cli, name, options))
}
