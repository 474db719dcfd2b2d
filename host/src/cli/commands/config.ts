import { type AgentError, isAgentError } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { findProblems } from '#agent/settings/find-problems.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { SchemaOf } from '#config/read-value.ts'
import type { Setting } from '#config/view.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { openCliHome } from '../home/open-cli-home.ts'

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
    .action(() => cli.out(openCliHome(cli, { create: false }).files.config))
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
  if (key !== undefined && !key.startsWith('platforms.')) return loadConfig(openCliHome(cli, { create: false }), cli.environment)
  return (await (await import('../home/open-catalog.ts')).openCatalog(cli)).loaded
}

async function set(cli: Cli, key: string, value: string): Promise<void> {
  const home = openCliHome(cli, { create: false })
  const { setConfigValue } = await import('#config/edit.ts')
  const schemaOf = await schemasFor(cli, key)
  const edited = setConfigValue({ home, processEnvironment: cli.environment, schemaOf }, key, value)
  if (edited.variable === undefined) cli.out(`${edited.key} is set in ${edited.file}.`)
  else cli.out(`${edited.key} is stored as ${edited.variable} in ${home.files.env}; ${edited.file} refers to it.`)
  const override = (await loadNamed(cli, edited.key)).overriddenBy(edited.key)
  if (override) cli.note(`It is shadowed by environment: ${override.name} is set.`)
  const isAbout = ({ key, unknownKey }: ConfigProblem): boolean =>
    `${key}.`.startsWith(`${edited.key}.`) || (`${edited.key}.`.startsWith(`${key}.`) && !unknownKey)
  for (const one of (await readProblems(home, cli)).filter(isAbout))
    cli.note(`${one.key} ${one.problem}${one.problem.endsWith('?') ? '' : '.'}`)
  await tellGateway(cli, edited.key)
}

/** What plugins say of the settings that are theirs. */
async function schemasFor(cli: Cli, key: string): Promise<SchemaOf> {
  if (!/^(?:platforms\.[^.]+\.extra|plugins\.entries\.[^.]+\.config)\./.test(key)) return () => undefined
  const { catalog } = await (await import('../home/open-catalog.ts')).openCatalog(cli)
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

/** What concerns platforms, plugins, the web and the model holds at once, also in a gateway that runs. */
async function tellGateway(cli: Cli, key: string): Promise<void> {
  if (!/^(?:platforms|plugins|web|security|model)\./.test(key)) return
  const { reloadGateway } = await import('../plugins/live/reload-gateway.ts')
  const words = key.startsWith('model.') ? { unchanged: 'The running gateway uses it from the next turn on.' } : {}
  for (const line of await reloadGateway(cli, openCliHome(cli, { create: false }), words)) cli.out(line)
}

async function unset(cli: Cli, key: string): Promise<void> {
  const { unsetConfigValue } = await import('#config/edit.ts')
  const removed = unsetConfigValue({ home: openCliHome(cli, { create: false }), processEnvironment: cli.environment }, key)
  cli.out(removed ? `${key} is back to its default.` : `${key} was not set.`)
  if (removed) await tellGateway(cli, key)
}

async function check(cli: Cli, options: JsonOption): Promise<void> {
  const home = openCliHome(cli, { create: false })
  const problems = await readProblems(home, cli)
  if (options.json) cli.json({ file: home.files.config, problems })
  else if (problems.length === 0) cli.out(`${home.files.config} is in order.`)
  else for (const problem of problems) cli.out(formatProblem(cli, problem))
  if (problems.some((problem) => problem.level === 'error')) cli.exit(1)
}

/** A file that cannot be read at all is one problem among others here. */
async function readProblems(home: Home, cli: Cli): Promise<readonly ConfigProblem[]> {
  try {
    const { loaded, catalog } = await (await import('../home/open-catalog.ts')).openCatalog(cli)
    return await findProblems(loaded, catalog, ownNames)
  } catch (error) {
    if (!isAgentError(error) || (!error.code.startsWith('CONFIG_') && error.code !== 'FILE_UNREADABLE')) throw error
    return [{ ...problemOf(error), file: String(error.params.path ?? home.files.config), level: 'error' }]
  }
}

function problemOf({ code, message, params }: AgentError): Pick<ConfigProblem, 'line' | 'key' | 'problem'> {
  if (code === 'FILE_UNREADABLE') return { line: 0, key: 'the file', problem: `${params.problem}; ${params.fix}` }
  const { line = 1, column, reason, problem, key = 'the file' } = params
  const text = reason === undefined ? String(problem ?? message) : `is not valid YAML at column ${column}: ${reason}`
  return { line: Number(line), key: String(key), problem: text.replace(/\.$/, '') }
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
