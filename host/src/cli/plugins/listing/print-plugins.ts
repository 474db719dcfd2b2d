import type { CommandsManifest } from '@agent/plugin-sdk'
import type { Listed, ListedContribution } from '#kernel/catalog/catalog.ts'
import { describePlace, describePlugin, isFault } from '#rpc/plugins/describe-plugin.ts'
import { describeFix, describeSource, describeState, explainPlugin } from '#rpc/plugins/explain-plugin.ts'
import { formatMemory, type LiveRow } from '#rpc/plugins/live-row.ts'
import { readMedal } from '#rpc/plugins/read-medal.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'

type Output = Pick<Cli, 'out' | 'json' | 'colour'>

/** With what a running gateway says of them, where one was asked. */
export function printJson(cli: Output, plugins: readonly Listed[], live?: readonly LiveRow[]): void {
  const withLive = (plugin: Listed) => ({ ...describePlugin(plugin), live: live?.find(({ id }) => id === plugin.id) ?? null })
  cli.json({ plugins: plugins.map(live ? withLive : describePlugin) })
}

export function printList(cli: Output, plugins: readonly Listed[], live?: readonly LiveRow[]): void {
  const rows = plugins.map((plugin) => {
    const row = live?.find(({ id }) => id === plugin.id)
    const now = live ? [row?.state ?? '', formatMemory(row)] : []
    return [plugin.id, colourState(cli, plugin), ...now, plugin.reason?.text ?? '', describeSource(plugin)]
  })
  const titles = ['PLUGIN', 'STATE', ...(live ? ['GATEWAY', 'MEMORY'] : []), 'REASON', 'SOURCE']
  cli.out(formatTable([titles.map((title) => paint(cli, 'bold', title)), ...rows]))
}

/** `contained` says what holds it on this machine. */
export function printInfo(cli: Output, plugin: Listed, contained?: string): void {
  const manifest = plugin.installed?.manifest
  const medal = readMedal(plugin)
  cli.out(`${paint(cli, 'bold', plugin.name)} ${plugin.version}`.trimEnd())
  if (manifest) cli.out(manifest.description)
  const rows = [
    ['id', plugin.id],
    ['state', plugin.state],
    ['source', describeSource(plugin)],
    ['folder', plugin.root],
    ['runs', describePlace(plugin)],
    ...(medal === undefined ? [] : [['medal', `${medal}, by the check of its author`]]),
    ...(contained === undefined ? [] : [['held by', contained]]),
    ...plugin.contributions.map((each) => [`${each.kind}:${each.id}`, describeState(each)]),
    ...(manifest?.contributes.commands ?? []).flatMap(describeCommands),
    ...(manifest?.env ?? []).map((each) => [each.name, `${each.prompt}${each.required ? ' (required)' : ''}`]),
    ...permissions(plugin),
    ...plugin.warnings.map((warning) => ['warning', warning]),
  ]
  cli.out(formatTable(rows.map(([name = '', value = '']) => [`  ${name}`, value])))
  for (const line of describeFix(plugin)) cli.out(line)
}

/** The chain from the folder to the state, one link a line. */
export function printWhy(cli: Output, plugin: Listed, part?: ListedContribution): void {
  cli.out(paint(cli, 'bold', part ? `${part.kind}:${part.id} of ${plugin.id}` : plugin.id))
  for (const line of explainPlugin(plugin, part)) cli.out(`  ${line}`)
  for (const line of describeFix(part ?? plugin)) cli.out(line)
}

function colourState(cli: Output, { state, reason }: Listed): string {
  if (state === 'ready') return paint(cli, 'green', state)
  return paint(cli, isFault(reason) ? 'red' : 'dim', state)
}

function describeCommands({ commands }: CommandsManifest): readonly string[][] {
  return commands.map(({ name, args, summary }) => [`/${name} ${args}`.trimEnd(), summary])
}

function permissions({ installed }: Listed): readonly string[][] {
  return Object.entries(installed?.manifest.permissions ?? {}).flatMap(([name, permission]) =>
    permission === undefined ? [] : [[`may ${name}`, `${JSON.stringify(permission.value)}: ${permission.reason}`]],
  )
}
