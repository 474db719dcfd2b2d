import { homedir, release } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { isTree } from '#config/schema/merge.ts'
import { readVersion } from '#config/version.ts'
import { type Listed, listedOf } from '#kernel/catalog/catalog.ts'
import { formatLine } from '#observe/format-line.ts'
import { maskText } from '#observe/mask.ts'
import { readTail } from '#observe/read-log.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import { describePlace } from '#rpc/plugins/describe-plugin.ts'
import { describeSource, explainPlugin } from '#rpc/plugins/explain-plugin.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import { hideSecrets } from '#rpc/settings/hide-secrets.ts'
import type { Cli } from '../../console/cli.ts'
import { isAbout } from './show-logs.ts'

export interface ReportOptions {
  readonly lines: string
  readonly json?: true
}

/** What the author of a plugin wants to know of a fault. */
interface Report {
  readonly plugin: string
  readonly version: string
  readonly source: string
  readonly runs: string
  readonly agent: string
  readonly node: string
  readonly system: string
  /** Why it runs or does not, one link of the chain a line. */
  readonly state: readonly string[]
  readonly settings: unknown
  /** Names of its variables, and whether each is set. */
  readonly variables: Readonly<Record<string, 'set' | 'not set'>>
  readonly log: readonly string[]
}

/** How far back its lines are looked for. */
const mostLines = 50_000

/** `agent plugins report`: prints what a bug report needs, without secrets, addresses and numbers of people. */
export async function reportPlugin(cli: Cli, word: string, { lines, json }: ReportOptions): Promise<void> {
  const opened = await openCatalog(cli)
  const plugin = findPlugin(opened.catalog, word)
  if (!/^\d{1,5}$/.test(lines)) {
    throw fail('USAGE', { problem: '-n takes a whole number.', try: `agent plugins report ${plugin.id} -n 200` })
  }
  const report = await gather(cli, opened, plugin, Number(lines))
  if (json) return cli.json(report)
  cli.out(format(report))
  cli.note('Secrets, addresses and long numbers are left out. Read it before you give it away: what a message said may stand in the log.')
}

async function gather(cli: Cli, { home, loaded }: OpenedCatalog, plugin: Listed, most: number): Promise<Report> {
  const { config, environment } = loaded
  const clean = cleaner(environment.secrets(), home.path)
  const { lines } = await readTail(join(home.files.logs, 'gateway.log'), mostLines)
  const own = lines.filter((line) => isAbout(plugin, line)).slice(most === 0 ? lines.length : -most)
  const platforms = listedOf({ plugins: [plugin] }, 'platform').map(({ id }) => [`platforms.${id}`, config.platforms[id]])
  const settings = Object.fromEntries([[`plugins.entries.${plugin.id}`, config.plugins.entries[plugin.id]], ...platforms])
  const names = (plugin.installed?.manifest.env ?? []).map(({ name }) => name)
  return {
    ...{ plugin: plugin.id, version: plugin.version, source: clean(describeSource(plugin)), runs: describePlace(plugin) },
    ...{ agent: readVersion(cli.installRoot), node: process.version, system: `${process.platform} ${process.arch} ${release()}` },
    state: explainPlugin(plugin, undefined).map(clean),
    settings: cleanTree(hideSecrets(settings, '', environment.secrets()), clean),
    variables: Object.fromEntries(names.map((name) => [name, environment.get(name) === undefined ? 'not set' : 'set'])),
    log: own.map((line) => clean(formatLine(line))),
  }
}

/** Takes secrets, folders of the person, mail addresses and long numbers out of a text. */
function cleaner(secrets: readonly string[], home: string): (text: string) => string {
  const folders = [
    [home, '<home>'],
    [homedir(), '~'],
  ] as const
  return (text) => {
    const shown = folders.reduce((left, [folder, name]) => left.replaceAll(folder, name), maskText(text, secrets))
    return shown.replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>').replace(/\+?\d{7,}/g, '<number>')
  }
}

/** The same of settings: an id of a person may stand there as a number, or name a setting. */
function cleanTree(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number') return clean(String(value)) === String(value) ? value : clean(String(value))
  if (Array.isArray(value)) return value.map((item: unknown) => cleanTree(item, clean))
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [clean(name), cleanTree(item, clean)]))
}

function format(report: Report): string {
  const { settings, variables, log, state, ...facts } = report
  const set = Object.entries(variables).map(([name, is]) => `- ${name}: ${is}`)
  return [
    `# Report on ${report.plugin} ${report.version}`,
    ...section(
      'Facts',
      Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
    ),
    ...section(
      'State',
      state.map((line) => `- ${line}`),
    ),
    ...section('Settings', ['```json', JSON.stringify(settings, null, 2), '```']),
    ...section('Variables', set.length === 0 ? ['It reads none.'] : set),
    ...section('Log', log.length === 0 ? ['The gateway has written nothing down about it.'] : ['```text', ...log, '```']),
  ].join('\n')
}

const section = (title: string, lines: readonly string[]): readonly string[] => ['', `## ${title}`, '', ...lines]
