import type { Command } from 'commander'
import type { Cli } from '../../console/cli.ts'
import type { Options } from './run-install.ts'

type Run = typeof import('./run-install.ts')

/** The commands of `agent plugins` that change what is installed; their code is loaded when one of them runs. */
export function addInstallCommands(plugins: Command, cli: Cli): void {
  const load = (): Promise<Run> => import('./run-install.ts')
  const add = (usage: string, summary: string): Command => plugins.command(usage).description(summary).option('--json', 'as JSON')
  const accept = ['--accept <hash>', 'agree to the declaration with this hash'] as const
  add('install [spec]', 'install a package (name@range, git+<url>#<commit>, file:x.tgz) or link a folder (link:<folder>)')
    .option(...accept)
    .option('--frozen', 'exactly what plugins.lock.json names, or nothing')
    .action(async (spec: string | undefined, options: Options) => (await load()).install(cli, spec, options))
  add('update [plugin]', 'install the newest version that fits; without a name, of every plugin')
    .option(...accept)
    .action(async (word: string | undefined, options: Options) => (await load()).update(cli, word, options))
  add('rollback <plugin>', 'return to the version before').action(async (word: string, options: Options) =>
    (await load()).rollback(cli, word, options),
  )
  add('remove <plugin>', 'take a plugin and its settings away')
    .option('--data', 'what it stored too')
    .action(async (word: string, options: Options) => (await load()).remove(cli, word, options))
  add('verify [plugin]', 'compare every file with its installation; exit code 1 when one differs').action(
    async (word: string | undefined, options: Options) => (await load()).verify(cli, word, options),
  )
}
