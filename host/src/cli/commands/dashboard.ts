import { Command, Option } from 'commander'
import type { Cli } from '../console/cli.ts'
import type { RegisterFlags } from '../dashboard/register.ts'
import type { DashboardCommandOptions } from '../dashboard/run-dashboard.ts'

export function command(cli: Cli): Command {
  const dashboard = new Command('dashboard')
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
  dashboard
    .command('register')
    .description('get a client id for logins from an identity provider, and keep it in .env')
    .option('--issuer <address>', 'the provider; else AGENT_DASHBOARD_OIDC_ISSUER')
    .option('--redirect-uri <address>', 'where logins come back to; else /auth/callback of dashboard.public_url')
    .option('--name <text>', 'how people see it at the provider', 'agent')
    .option('--token-file <file>', 'the initial access token, where the provider wants one')
    .option('--again', 'register another client where there is one')
    .option('--json', 'as JSON')
    .action(async (flags: RegisterFlags) => {
      const { isolated } = dashboard.opts<DashboardCommandOptions>()
      await (await import('../dashboard/register.ts')).register(cli, { ...flags, ...(isolated ? { isolated } : {}) })
    })
  return dashboard
}
