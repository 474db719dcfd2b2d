import { Command } from 'commander'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { loadConfig } from '#config/load.ts'
import type { SchemaOf } from '#config/read-value.ts'
import type { Setting } from '#config/view.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'

interface JsonOption {
  readonly json?: true
}

export function command(cli: Cli): Command {
  const config = new Command('config').description('Read and change settings.')
  config
    .command('get', { isDefault: true })
    .argument('[key]', 'setting or section, such as display.interface')
    .option('--json', 'one JSON document')
    .description('show what holds and where it comes from')
    .action((key: string | undefined, options: JsonOption) => get(cli, key, options))
  config
    .command('set')
    .argument('<key>')
    .argument('<value>', 'text, or YAML where the setting is no text: true, 5, [a, b]')
    .description('change one setting; a secret goes to .env')
    .action((key: string, value: string) => set(cli, key, value))
  config
    .command('unset')
    .argument('<key>')
    .description('go back to the default')
    .action((key: string) => unset(cli, key))
  config
    .command('check')
    .option('--json', 'one JSON document')
    .description('list what does not fit, with its line')
    .action((options: JsonOption) => check(cli, options))
  config
    .command('path')
    .description('print where config.yaml is')
    .action(() => cli.out(openHomeOf(cli, { create: false }).files.config))
  config
    .command('schema')
    .description('print the JSON Schema of config.yaml')
    .action(async () => cli.json((await import('#config/schema/config-json-schema.ts')).configJsonSchema))
  return config
}

async function get(cli: Cli, key: string | undefined, options: JsonOption): Promise<void> {
  const loaded = await loadNamed(cli, key)
  const { listSettings, viewSetting } = await import('#config/view.ts')
  if (key !== undefined) {
    const setting = viewSetting(loaded, key)
    if (options.json) cli.json(setting)
    else cli.out(`${formatValue(setting.value)}  ${paint(cli, 'dim', `(${formatSource(setting, loaded)})`)}`)
    return
  }
  const settings = listSettings(loaded)
  if (options.json) cli.json({ settings })
  else cli.out(formatTable(settings.map((one) => [one.key, formatValue(one.value), paint(cli, 'dim', formatSource(one, loaded))])))
}

/** Manifests say how the variables of their platforms are called. */
async function loadNamed(cli: Cli, key: string | undefined): Promise<Loaded> {
  if (key !== undefined && !key.startsWith('platforms.')) return loadConfig(openHomeOf(cli, { create: false }), cli.environment)
  return (await (await import('#rpc/home/open-catalog.ts')).openCatalog(cli)).loaded
}

async function set(cli: Cli, key: string, value: string): Promise<void> {
  const home = openHomeOf(cli, { create: false })
  const { setConfigValue } = await import('#config/edit.ts')
  const schemaOf = await schemasFor(cli, key)
  const edited = setConfigValue({ home, processEnvironment: cli.environment, schemaOf }, key, value)
  if (edited.variable === undefined) cli.out(`${edited.key} is set in ${edited.file}.`)
  else cli.out(`${edited.key} is stored as ${edited.variable} in ${home.files.env}; ${edited.file} refers to it.`)
  const override = (await loadNamed(cli, edited.key)).overriddenBy(edited.key)
  if (override) cli.note(`It is shadowed by environment: ${override.name} is set.`)
  const isAbout = ({ key, unknownKey }: ConfigProblem): boolean =>
    `${key}.`.startsWith(`${edited.key}.`) || (`${edited.key}.`.startsWith(`${key}.`) && !unknownKey)
  for (const one of (await (await import('#rpc/settings/read-problems.ts')).readProblems(home, cli)).filter(isAbout))
    cli.note(`${one.key} ${one.problem}${one.problem.endsWith('?') ? '' : '.'}`)
  await tellGateway(cli, edited.key)
}

/** What plugins say of the settings that are theirs. */
async function schemasFor(cli: Cli, key: string): Promise<SchemaOf> {
  if (!/^(?:platforms\.[^.]+\.extra|plugins\.entries\.[^.]+\.config)\./.test(key)) return () => undefined
  const { catalog } = await (await import('#rpc/home/open-catalog.ts')).openCatalog(cli)
  return ([section, ...path]) => {
    const [id = '', name = ''] = section === 'platforms' ? [path[0], path[2]] : [path[1], path[3]]
    const schema =
      section === 'platforms'
        ? catalog.find('platform', id)?.spec.configSchema
        : catalog.plugins.find((one) => one.id === id)?.installed?.manifest.configSchema
    const properties = schema?.properties as Readonly<Record<string, { readonly type?: unknown }>> | undefined
    return path.length === (section === 'platforms' ? 3 : 4) && properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  }
}

/** A gateway that runs takes the change over where it can; where it cannot, that is said. */
async function tellGateway(cli: Cli, key: string): Promise<void> {
  const { takeOverKeys } = await import('#rpc/settings/take-over-keys.ts')
  for (const line of (await takeOverKeys(cli, openHomeOf(cli, { create: false }), [key])).said) cli.out(line)
}

async function unset(cli: Cli, key: string): Promise<void> {
  const { unsetConfigValue } = await import('#config/edit.ts')
  const removed = unsetConfigValue({ home: openHomeOf(cli, { create: false }), processEnvironment: cli.environment }, key)
  cli.out(removed ? `${key} is back to its default.` : `${key} was not set.`)
  if (removed) await tellGateway(cli, key)
}

async function check(cli: Cli, options: JsonOption): Promise<void> {
  const home = openHomeOf(cli, { create: false })
  const problems = await (await import('#rpc/settings/read-problems.ts')).readProblems(home, cli)
  if (options.json) cli.json({ file: home.files.config, problems })
  else if (problems.length === 0) cli.out(`${home.files.config} is in order.`)
  else for (const problem of problems) cli.out(formatProblem(cli, problem))
  if (problems.some((problem) => problem.level === 'error')) cli.exit(1)
}

function formatProblem(cli: Cli, { file, line, key, problem, level, plugin, platform }: ConfigProblem): string {
  const place = line > 0 ? `${file}:${line}` : file
  const owner = plugin ?? platform
  const effect = owner === undefined ? '' : ` Only ${owner} is blocked by it.`
  return `${place}: ${paint(cli, level === 'error' ? 'red' : 'yellow', level)}: ${key}: ${problem}${problem.endsWith('?') ? '' : '.'}${effect}`
}

function formatSource({ key, source, shadowedBy }: Setting, loaded: Loaded): string {
  if (shadowedBy !== undefined) return `shadowed by environment: ${shadowedBy}${source === 'env-file' ? ' in .env' : ''}`
  if (source === 'default') return 'default'
  return loaded.problems.some((one) => one.key === key && one.level === 'warning' && !one.withoutEffect)
    ? 'config.yaml, should be in .env'
    : 'config.yaml'
}

function formatValue(value: unknown): string {
  if (value === undefined) return '(not set)'
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
