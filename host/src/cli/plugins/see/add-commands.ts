import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { StoredManifests } from '#agent/reload/stored-manifests.ts'
import type { Home } from '#config/home/home.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import { describeLive, type LiveRow } from '#rpc/plugins/live-row.ts'
import type { Cli } from '../../console/cli.ts'
import { printInfo, printJson, printList, printWhy } from '../listing/print-plugins.ts'
import type { BenchOptions } from './bench.ts'
import type { DiagnoseOptions } from './diagnose.ts'
import type { ReportOptions } from './report.ts'
import type { LogsOptions } from './show-logs.ts'

interface Options {
  readonly json?: true
}

/** The commands of `agent plugins` that look at something; the code of the larger ones is loaded when one of them runs. */
export function addSeeCommands(plugins: Command, cli: Cli): void {
  const add = (usage: string, summary: string): Command => plugins.command(usage).description(summary).option('--json', 'as JSON')
  add('list', 'what is installed, and what of it may run').action(({ json }: Options) => list(cli, json))
  add('info <plugin>', 'what a plugin brings, reads and may do').action((word: string, { json }: Options) => info(cli, word, json))
  add('why <plugin>', 'why a plugin, or one part of it (kind:name, tool:name, command:name, hook:name), runs or does not').action(
    (word: string, { json }: Options) => why(cli, word, json),
  )
  add('doctor', 'look for what is wrong; exit code 1 when something is')
    .option('--deep', 'compare every installed file too')
    .option('--fix', 'move aside what nobody needs; configuration is left alone')
    .action(async (options: DiagnoseOptions) => (await import('./diagnose.ts')).diagnosePlugins(cli, options))
  add('trace', 'how long the code of each plugin took to load in the gateway that ran last').action(async (options: Options) =>
    (await import('./trace.ts')).tracePlugins(cli, options),
  )
  add('bench [plugin]', 'load the code of plugins in new processes: time and memory; exit code 1 when one cannot be loaded')
    .option('--n <count>', 'how often', '5')
    .action(async (word: string | undefined, options: BenchOptions) => (await import('./bench.ts')).benchPlugins(cli, word, options))
  add('logs <plugin>', 'what the gateway wrote down about a plugin')
    .option('-n, --lines <count>', 'how many of the last lines', '50')
    .option('-f, --follow', 'go on showing new lines until Ctrl-C')
    .action(async (word: string, options: LogsOptions) => (await import('./show-logs.ts')).showPluginLogs(cli, word, options))
  add('report <plugin>', 'what a bug report needs: versions, state, settings and log, without secrets')
    .option('-n, --lines <count>', 'how many of the last lines of the log', '200')
    .action(async (word: string, options: ReportOptions) => (await import('./report.ts')).reportPlugin(cli, word, options))
}

async function list(cli: Cli, json: true | undefined): Promise<void> {
  const { catalog, home, manifests } = await openCatalog(cli)
  const live = await readLive(cli, home)
  if (json) printJson(cli, catalog.plugins, live)
  else printList(cli, catalog.plugins, live)
  if (existsSync(home.path)) keep(manifests)
}

/** The next command need not read them again. */
function keep(manifests: StoredManifests | undefined): void {
  try {
    manifests?.save()
  } catch {
    // It reads them again; whether the disk takes something is no matter of a list.
  }
}

async function info(cli: Cli, word: string, json: true | undefined): Promise<void> {
  const { catalog, home, loaded } = await openCatalog(cli)
  const plugin = findPlugin(catalog, word)
  const live = await readLive(cli, home)
  if (json) return printJson(cli, [plugin], live)
  const { findContainment } = await import('./find-containment.ts')
  printInfo(cli, plugin, await findContainment(plugin, loaded.config.plugins))
  printLive(cli, live, plugin.id)
}

async function why(cli: Cli, word: string, json: true | undefined): Promise<void> {
  const { catalog, home } = await openCatalog(cli)
  const [, called = '', name = ''] = /^([a-z]+):\/?(.*)$/.exec(word) ?? []
  const { explainHook, findNamed, kindOfPart } = await import('./explain.ts')
  if (called === 'hook') return explainHook(cli, catalog, name, json === true)
  const kind = kindOfPart(called)
  const found = kind && findNamed(catalog, kind, name)
  const plugin = found?.plugin ?? findPlugin(catalog, word)
  const live = await readLive(cli, home)
  if (json) return printJson(cli, [plugin], live)
  const wanted = found?.part ?? word
  if (found) cli.out(`${called}:${name} is in ${found.part}`)
  const part = plugin.contributions.find((each) => `${each.kind}:${each.id}` === wanted)
  printWhy(cli, plugin, part)
  printLive(cli, live, plugin.id)
}

async function readLive(cli: Cli, home: Home): Promise<readonly LiveRow[] | undefined> {
  return (await import('#rpc/plugins/ask-live.ts')).askLive(home, cli.signal)
}

function printLive(cli: Cli, live: readonly LiveRow[] | undefined, id: string): void {
  const row = live?.find((each) => each.id === id)
  if (row) for (const [name, value] of describeLive(row)) cli.out(`  ${name}: ${value}`)
}
