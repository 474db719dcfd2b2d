import type { Command } from 'commander'
import type { Cli } from '../../console/cli.ts'
import type { ExportPackOptions } from './export-pack.ts'
import type { InstallPackOptions } from './install-pack.ts'

/** The commands about lists of plugins with their settings; their code is loaded when one of them runs. */
export function addPackCommands(plugins: Command, cli: Cli): void {
  const pack = plugins.command('pack').description('Hand on a list of plugins with their settings.')
  pack
    .command('export [file]')
    .description('write what is installed and set up here, without secrets; without a file to standard output')
    .option('--json', 'as JSON')
    .action(async (file: string | undefined, options: ExportPackOptions) =>
      (await import('./export-pack.ts')).exportPack(cli, file, options),
    )
  pack
    .command('install <file>')
    .description('install, switch on and set up what a list names; what is set here already stays')
    .option('--accept <hash...>', 'agree to the list and to each declaration with these hashes')
    .option('--json', 'as JSON')
    .action(async (file: string, options: InstallPackOptions) => (await import('./install-pack.ts')).installPack(cli, file, options))
}
