import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { openHome } from '#config/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance.ts'
import { type Cli, formatTable } from '../cli.ts'
import { formatAge } from '../format-age.ts'

export function command(cli: Cli): Command {
  const gateway = new Command('gateway').description('Keep the agent reachable: HTTP API and messaging platforms.')
  gateway
    .command('run')
    .description('run in the foreground until Ctrl-C')
    .option('--from-start', 'say what to do next (used by npm start)')
    .option('--safe-mode', 'only what comes with the program')
    .option('--ignore-user-config', 'start with the default settings')
    .action(async (options: RunOptions) => (await import('../gateway/run.ts')).runGateway(cli, options))
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
    .command('status')
    .description('say whether it runs and how its platforms are')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => printStatus(cli, options.json === true))
  for (const name of ['install', 'uninstall', 'setup']) {
    gateway.command(name, { hidden: true }).action(() => {
      throw fail('NOT_BUILT', { feature: `agent gateway ${name}` })
    })
  }
  return gateway
}

export interface RunOptions {
  readonly fromStart?: true
  readonly safeMode?: true
  readonly ignoreUserConfig?: true
}

function printStatus(cli: Cli, json: boolean): void {
  const home = openHome({ environment: cli.environment, ...(cli.profile ? { profile: cli.profile } : {}), create: false })
  const instance = findInstance(home)
  const state = readGatewayState(home)
  const platforms = instance ? (state?.platforms ?? []) : []
  if (!instance) cli.exit(1)
  if (json)
    cli.json({
      state: instance ? 'running' : 'stopped',
      home: home.path,
      pid: instance?.pid ?? null,
      url: instance?.url ?? null,
      platforms,
    })
  else if (instance) cli.out(`The gateway runs (pid ${instance.pid}${instance.url ? `, ${instance.url}` : ', still starting'}).`)
  else cli.out(`No gateway runs for ${home.path}. Start one with agent gateway start.`)
  const rows = platforms.map((each) => [
    `  ${each.platform}`,
    each.state,
    `for ${formatAge(Date.now() - each.since)}`,
    each.error?.code ?? '',
  ])
  if (rows.length > 0 && !json) cli.out(formatTable(rows))
}
