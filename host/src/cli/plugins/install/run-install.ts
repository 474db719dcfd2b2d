import { fail } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { parseSpec } from '#kernel/package/parse-spec.ts'
import { printable } from '#observe/printable.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { printJson } from '../listing/print-plugins.ts'
import { installFrozen } from './frozen.ts'
import { type InstallOutcome, installPlugin } from './install-plugin.ts'
import { linkPlugin } from './link-plugin.ts'
import { openPluginHome, type PluginHome } from './plugin-home.ts'
import { type Removed, removePlugin } from './remove-plugin.ts'
import { rollBack } from './roll-back.ts'
import { tellGateway } from './tell-gateway.ts'
import { type Verified, verifyPlugins } from './verify-plugins.ts'

export interface Options {
  readonly json?: true
  readonly accept?: string
  readonly frozen?: true
  readonly data?: true
}

/** `agent plugins install <spec>` and `agent plugins install --frozen`. */
export async function install(cli: Cli, word: string | undefined, options: Options): Promise<void> {
  if ((word === undefined) !== (options.frozen === true)) {
    throw fail('USAGE', { problem: 'Name what to install, or take everything that the lock names.', try: 'agent plugins install --frozen' })
  }
  const spec = word === undefined ? undefined : parseSpec(word, cli.cwd)
  await change(cli, options, async function* (home, plugins) {
    if (spec === undefined) yield* await installFrozen(cli, plugins)
    else if (spec.type === 'link') yield { ...(await linkPlugin(home, spec.path)), before: undefined }
    else yield await installPlugin(cli, plugins, spec, options)
  })
}

/** `agent plugins update [plugin]`: the newest version that its spec allows. */
export async function update(cli: Cli, word: string | undefined, options: Options): Promise<void> {
  await change(cli, options, async function* (_home, plugins) {
    const ids = word === undefined ? [...plugins.lock.keys()] : [await findLocked(cli, plugins, word)]
    for (const id of ids) {
      const spec = parseSpec(plugins.lock.get(id)?.spec ?? '', cli.cwd)
      if (spec.type !== 'link') yield await installPlugin(cli, plugins, spec, { ...options, id })
    }
  })
}

/** `agent plugins rollback <plugin>`. */
export async function rollback(cli: Cli, word: string, options: Options): Promise<void> {
  await change(cli, options, async function* (_home, plugins) {
    yield rollBack(plugins, await findLocked(cli, plugins, word))
  })
}

/** `agent plugins remove <plugin>`. */
export async function remove(cli: Cli, word: string, options: Options): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const home = openHomeOf(cli)
    const { id, traces } = await removeAlone(cli, home, word)
    await tellGateway(cli, home)
    // What runs has ended by now, and writes nothing behind our back.
    if (options.data) for (const { remove: removeTrace } of traces) await removeTrace()
    const texts = traces.map(({ text }) => text)
    if (options.json) cli.json({ removed: id, [options.data ? 'went' : 'stays']: texts })
    else cli.out(describeRemoved(id, texts, options))
  })
}

/** `agent plugins verify [plugin]`: every file of the store; exit code 1 when one is not what was installed. */
export async function verify(cli: Cli, word: string | undefined, options: Options): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    using plugins = openPluginHome(openHomeOf(cli))
    const ids = word === undefined ? [...plugins.lock.keys()] : [await findLocked(cli, plugins, word)]
    const verified = verifyPlugins(plugins, ids)
    if (verified.some(({ reason, changes }) => reason !== null || changes.length > 0)) cli.exit(1)
    if (options.json) return cli.json({ verified })
    cli.out(verified.length === 0 ? 'No plugin is installed.' : verified.map(describeVerified).join('\n'))
  })
}

function describeRemoved(id: string, traces: readonly string[], { data }: Options): string {
  if (traces.length === 0) return `${id} is removed.`
  const list = traces.join(', ')
  if (data) return `${id} is removed, and with it ${list}.`
  return `${id} is removed. This stays: ${list}. To take that away too, install it once more and run agent plugins remove ${id} --data.`
}

async function removeAlone(cli: Cli, home: Home, word: string): Promise<Removed> {
  using plugins = openPluginHome(home)
  return await removePlugin(cli, plugins, word)
}

/** Each outcome as soon as it is one: what is done stays done, whatever comes after it. */
type Act = (home: Home, plugins: PluginHome) => AsyncIterable<InstallOutcome>

async function change(cli: Cli, options: Options, act: Act): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const home = openHomeOf(cli)
    const outcomes: InstallOutcome[] = []
    try {
      using plugins = openPluginHome(home)
      for await (const outcome of act(home, plugins)) outcomes.push(outcome)
    } finally {
      await report(cli, home, outcomes, options)
    }
    if (options.json) printJson(cli, await rowsOf(cli, outcomes))
    else if (outcomes.length === 0) cli.out('Nothing is installed.')
  })
}

async function report(cli: Cli, home: Home, outcomes: readonly InstallOutcome[], { json }: Options): Promise<void> {
  if (outcomes.some(({ same }) => !same)) await tellGateway(cli, home)
  if (json || outcomes.length === 0) return
  cli.out(outcomes.map(describeOutcome).join('\n'))
  for (const { id, reason } of await rowsOf(cli, outcomes)) {
    if (reason?.code === 'not-enabled') cli.out(`${id} is off. To switch it on: ${reason.fix}`)
  }
}

async function rowsOf(cli: Cli, outcomes: readonly InstallOutcome[]): Promise<readonly Listed[]> {
  const { catalog } = await openCatalog(cli)
  return outcomes.flatMap(({ id }) => catalog.plugin(id) ?? [])
}

function describeVerified({ id, version, detail, changes }: Verified): string {
  const verdict = detail ?? `${changes.length === 0 ? 'every' : 'not every'} file is as it was installed`
  return [`${id} ${version}: ${verdict}`, ...changes.map(({ path, change: how }) => `  ${how}: ${printable(path)}`)].join('\n')
}

export function describeOutcome({ id, version, before, same }: InstallOutcome): string {
  if (same) return `${id} ${version} is installed already.`
  return before === undefined || before === version ? `${id} ${version} is installed.` : `${id} ${version} is installed; it was ${before}.`
}

async function findLocked(cli: Cli, plugins: PluginHome, word: string): Promise<string> {
  if (plugins.lock.has(word)) return word
  const { id } = findPlugin((await openCatalog(cli)).catalog, word)
  if (plugins.lock.has(id)) return id
  throw fail('USAGE', { problem: `${id} was not installed from a package.`, try: 'agent plugins list' })
}
