import { Command, Option } from 'commander'
import type { Cli } from '../console/cli.ts'
import type { DashboardCommandOptions } from '../dashboard/run-dashboard.ts'

export function command(cli: Cli): Command {
  return new Command('dashboard')
    .description('Set agent up in a browser, and see how it is.')
    .option('--host <address>', 'where it listens; beyond this machine it wants a login', '127.0.0.1')
    .option('--port <number>', '0 takes any free one', '9119')
    .option('--no-open', 'print the address and open no browser')
    .option('--insecure', 'listen beyond this machine without a login')
    .option('--isolated', 'serve this profile alone')
    .option('--status', 'say whether one runs, and where')
    .option('--stop', 'end the one that runs')
    .addOption(new Option('--from-start').hideHelp())
    .action(async (options: DashboardCommandOptions) => (await import('../dashboard/run-dashboard.ts')).runDashboard(cli, options))
}
