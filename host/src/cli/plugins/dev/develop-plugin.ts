import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Manifest } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type * as Kit from '@agent/plugin-sdk/testing'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import type { ListedContribution } from '#kernel/catalog/catalog.ts'
import { findHostRow } from '#kernel/catalog/kind-rows.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { describeBlocked } from '#rpc/plugins/describe-plugin.ts'
import { quoteWord } from '#tools/shell/quote-word.ts'
import type { Cli } from '../../console/cli.ts'
import { createCauses, describeOutcome, printRepeated, printResult } from '../check/check-plugin.ts'
import { readInspectPort } from '../check/inspect-port.ts'
import { loadKit } from '../check/load-kit.ts'
import { runKit } from '../check/run-kit.ts'
import { createChanges } from '../watch/changes.ts'
import { watchSources } from '../watch/watch-sources.ts'
import type { FormSetting } from './describe-refusal.ts'
import { linkForNow } from './link-for-now.ts'
import { type OwnGatewayOptions, openOwnGateway } from './own-gateway.ts'
import { watchGateway } from './watch-gateway.ts'

/** Where the plugin runs while it is written. */
interface Stage extends AsyncDisposable {
  /** The command line, with the home there. */
  readonly cli: Cli
  readonly formSetting: FormSetting
  /** Lets what was built just now take the place of what runs. */
  renew(): Promise<void>
}

export interface DevelopOptions {
  /** `KEY=VALUE`, for a temporary gateway. */
  readonly set: readonly string[]
  /** Port on which a debugger finds a temporary gateway; `true`: the usual one. */
  readonly inspect?: string | true
  /** Also what the plugin sends, and whom it connects to. */
  readonly traffic?: boolean
}

/** Builds, runs and tries a plugin, and again on every change of its sources, until Ctrl-C. A build that fails leaves the old one running. */
export async function developPlugin(cli: Cli, folder: string, { set, inspect, traffic = false }: DevelopOptions): Promise<void> {
  const port = readInspectPort(inspect)
  const dir = resolve(cli.cwd, folder)
  const kit = await loadKit(cli.installRoot)
  const { manifest } = await kit.buildPlugin({ dir })
  await using stage = await openStage(cli, realpathSync(dir), manifest, { settings: set, inspect: port, traffic })
  await using _told = await watchGateway(stage.cli, { manifest, traffic, formSetting: stage.formSetting })
  await stage.renew()
  const changes = createChanges()
  using _watch = watchSources(dir, changes.add)
  cli.signal.addEventListener('abort', changes.add, { once: true })
  let checking = startCheck(cli, dir)
  cli.out(`Watching ${dir}; Ctrl-C ends it.`)
  for (await changes.next(); !cli.signal.aborted; await changes.next()) {
    await checking.stop()
    if (!(await rebuild(cli, kit, dir))) continue
    await stage.renew()
    checking = startCheck(cli, dir)
  }
  await checking.stop()
}

async function rebuild(cli: Cli, { buildPlugin }: typeof Kit, dir: string): Promise<boolean> {
  try {
    const { manifest, outputs } = await buildPlugin({ dir })
    cli.out(`Built ${manifest.id}: ${outputs.join(', ')}`)
    return true
  } catch (error) {
    if (!isAgentError(error)) throw error
    cli.note(`${error.message}\nThe one before goes on.`)
    return false
  }
}

/** A gateway that runs for this home takes the plugin in; otherwise one is started for it alone. */
async function openStage(cli: Cli, dir: string, manifest: Manifest, wanted: OwnGatewayOptions): Promise<Stage> {
  const [setting] = wanted.settings
  const home = openHomeOf(cli)
  const instance = findInstance(home)
  if (instance === undefined) {
    const gateway = openOwnGateway(cli, dir, manifest, wanted)
    cli.out(
      `No gateway runs for ${home.path}: ${manifest.id} gets a temporary one, with an offline model and nothing of this home but what --set KEY=VALUE says.`,
    )
    const there = { ...cli, environment: gateway.environment, profile: undefined }
    const renew = async (): Promise<void> => {
      await gateway.restart()
      // What it connects, the gateway tells.
      await tellBlocked(there, manifest.id, ({ kind }) => findHostRow(kind)?.reload !== 'swap')
    }
    // Ids are chosen by strangers, and people copy the line.
    const formSetting: FormSetting = (key, value) => `end this, and run it again with --set ${quoteWord(`${key}=${value}`)}`
    return { cli: there, formSetting, renew, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
  }
  if (setting !== undefined) {
    const problem = `A gateway runs for ${home.path}, and --set is for a gateway of the plugin's own.`
    throw fail('USAGE', { problem, try: `agent config set ${setting.replace('=', ' ')}` })
  }
  if (wanted.inspect !== undefined) {
    const problem = `A gateway runs for ${home.path}, and --inspect is for a gateway of the plugin's own.`
    throw fail('USAGE', { problem, try: 'agent gateway stop' })
  }
  if (wanted.traffic) await requireTraffic(cli, home)
  const unlink = await linkForNow(home, manifest.id, dir)
  cli.out(`${manifest.id} is linked into ${home.path}; the gateway there (pid ${instance.pid}) runs it.`)
  return {
    cli,
    formSetting: (key, value) => `agent config set ${key} ${quoteWord(value)}`,
    renew: async () => {
      const told = await reloadGateway(cli, home)
      for (const line of told) cli.out(line)
      await tellBlocked(cli, manifest.id)
      if (told.length === 0) cli.note('The gateway has ended. Start it again, or end this command and run it again.')
    },
    [Symbol.asyncDispose]: async () => {
      if (!unlink()) return
      cli.out(`${manifest.id} is no longer linked into ${home.path}.`)
      // The signal of the command has fired already: it is how this command ends.
      for (const line of await reloadGateway({ signal: new AbortController().signal }, home)) cli.out(line)
    },
  }
}

/** A gateway that runs writes traffic down where its log takes it. */
async function requireTraffic(cli: Cli, home: Home): Promise<void> {
  const { config } = await loadConfig(home, cli.environment)
  if (config.logging.level === 'debug') return
  const problem = `A gateway runs for ${home.path}, and logging.level is ${config.logging.level} there: --traffic needs debug.`
  throw fail('USAGE', { problem, try: 'agent config set logging.level debug, then agent gateway restart' })
}

/** What of the plugin cannot run by the settings and variables that there are, and what helps. */
async function tellBlocked(cli: Cli, id: string, concerns: (part: ListedContribution) => boolean = () => true): Promise<void> {
  const { catalog } = await openCatalog(cli)
  const plugin = catalog.plugins.find((one) => one.id === id)
  for (const part of plugin?.contributions.filter(concerns) ?? []) if (part.reason) cli.out(describeBlocked(part.id, part.reason))
}

/** Tries the plugin beside what runs; says what does not hold, and little else. */
function startCheck(cli: Cli, dir: string): { stop(): Promise<void> } {
  const stop = new AbortController()
  const { installRoot, environment } = cli
  const run = async (): Promise<void> => {
    const { report } = await runKit({ installRoot, dir, environment, signal: stop.signal })
    const told = createCauses()
    for (const result of report.rules) if (result.status === 'failed') printResult(cli, result, told)
    printRepeated(cli, told)
    if (report.passed) cli.out(`Checked: ${describeOutcome(report)}.`)
  }
  const done = run().catch((error: unknown) => {
    if (!isAgentError(error, 'INTERRUPTED')) cli.note(detailOf(error))
  })
  return {
    stop: async () => {
      stop.abort()
      await done
    },
  }
}
