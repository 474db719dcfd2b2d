import type { Command } from 'commander'
import type { Cli } from '../../console/cli.ts'
import type { CatalogsOptions } from './show-catalogs.ts'
import type { SignOptions } from './sign-list.ts'

/** The commands about lists of plugins that organisations sign; their code is loaded when one of them runs. */
export function addCatalogCommands(plugins: Command, cli: Cli): void {
  const catalogs = plugins.command('catalogs').description('The signed lists of plugins that plugins.catalogs of config.yaml names.')
  catalogs
    .command('list')
    .description('what is kept of them')
    .option('--json', 'as JSON')
    .action(async (options: CatalogsOptions) => (await import('./show-catalogs.ts')).listCatalogs(cli, options))
  catalogs
    .command('refresh')
    .description('fetch them again; exit code 1 when one could not be')
    .option('--json', 'as JSON')
    .action(async (options: CatalogsOptions) => (await import('./show-catalogs.ts')).refreshCatalogs(cli, options))
  catalogs
    .command('sign <file>')
    .description('sign a list of your own: writes FILE.sig, and a key where there is none')
    .requiredOption('--key <file>', 'the private key, as PEM')
    .option('--json', 'as JSON')
    .action(async (file: string, options: SignOptions) => (await import('./sign-list.ts')).signList(cli, file, options))
}
