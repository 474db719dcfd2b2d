import { Command } from 'commander'
import type { Cli } from '../console/cli.ts'
import type { RunGatewayOptions } from '../gateway/run.ts'
import type { InstallServiceOptions } from '../gateway/service.ts'
import type { SetupOptions } from '../setup/setup-platform.ts'

export function command(cli: Cli): Command {
  const gateway = new Command('gateway').description('Keep the agent reachable: HTTP API and messaging platforms.')
  addLifecycle(cli, gateway)
  addPlatforms(cli, gateway)
  addService(cli, gateway)
  return gateway
}

function addLifecycle(cli: Cli, gateway: Command): void {
  gateway
    .command('run')
    .description('run in the foreground until Ctrl-C')
    .option('--from-start', 'say what to do next (used by npm start)')
    .option('--dashboard', 'with the dashboard beside it, for as long as it runs')
    .option('--boot', 'for containers and services: only unless it was stopped on purpose')
    .option('--safe-mode', 'only what comes with the program')
    .option('--ignore-user-config', 'start with the default settings')
    .option('--no-skills', 'never put the skills that come with agent into this home')
    .action(async (options: RunGatewayOptions) => (await import('../gateway/run.ts')).runGateway(cli, options))
  gateway
    .command('start')
    .description('start in the background')
    .action(async () => (await import('../gateway/background.ts')).startGateway(cli))
  gateway
    .command('stop')
    .description('stop the gateway of this home')
    .action(async () => (await import('../gateway/background.ts')).stopGateway(cli))
  gateway
    .command('restart')
    .description('stop, then start in the background')
    .action(async () => (await import('../gateway/background.ts')).restartGateway(cli))
  gateway
    .command('reload')
    .description('let the running gateway read config.yaml, .env and plugins again; what did not change goes on')
    .action(async () => (await import('../gateway/reload.ts')).reload(cli))
  gateway
    .command('status')
    .description('say whether it runs and how its platforms are')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('../gateway/status.ts')).printStatus(cli, options.json === true))
  gateway
    .command('failures')
    .description('list messages without a whole answer and answers that were refused, with the reason')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('../gateway/failures.ts')).printFailures(cli, options.json === true))
  gateway
    .command('resend <number>')
    .description('send an answer again of which nobody can tell whether it arrived')
    .action(async (number: string) => (await import('../gateway/status.ts')).resend(cli, number))
  gateway
    .command('settle <number> <arrived|lost>')
    .description('take such an answer off the list: you have seen that it arrived, or it is lost and is given up')
    .action(async (number: string, fate: string) => (await import('../gateway/status.ts')).settle(cli, number, fate))
}

function addPlatforms(cli: Cli, gateway: Command): void {
  gateway
    .command('directory [platform]')
    .description('list the conversations that are known, which agent send can name')
    .option('--json', 'as JSON')
    .action(async (platform: string | undefined, options: { json?: true }) =>
      (await import('../gateway/directory.ts')).printDirectory(cli, platform, options.json === true),
    )
  gateway
    .command('pause <platform>')
    .description('disconnect a platform until it is resumed')
    .action(async (platform: string) => (await import('../gateway/pause.ts')).pausePlatform(cli, platform))
  gateway
    .command('resume <platform>')
    .description('connect a platform again that was paused or has failed for good, or try one now that waits for its next attempt')
    .action(async (platform: string) => (await import('../gateway/pause.ts')).resumePlatform(cli, platform))
  gateway
    .command('setup [platform]')
    .description('set up a messaging platform: what it needs, who may write, a test')
    .option('--set <NAME=value>', 'without questions; NAME alone takes it from the environment, NAME=- from standard input', collect, [])
    .option('--test', 'only connect it as it is set up')
    .option('--json', 'as JSON')
    .action(async (platform: string | undefined, options: SetupOptions) =>
      (await import('../setup/setup-platform.ts')).setUpPlatform(cli, platform, options),
    )
  gateway
    .command('test <platform>')
    .description('connect a platform, say as whom, and close it again')
    .option('--json', 'as JSON')
    .action(async (platform: string, options: { json?: true }) =>
      (await import('../setup/test-platform.ts')).testPlatform(cli, platform, options.json === true),
    )
}

function addService(cli: Cli, gateway: Command): void {
  gateway
    .command('install')
    .description('make a service of it that starts with you (systemd)')
    .option('--print', 'show the unit and change nothing')
    .option('--json', 'as JSON')
    .action(async (options: InstallServiceOptions) => (await import('../gateway/service.ts')).installService(cli, options))
  gateway
    .command('uninstall')
    .description('stop and remove the service')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('../gateway/service.ts')).uninstallService(cli, options))
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
