import type { CommandsManifest } from '@agent/plugin-sdk'
import type { Listed, ListedContribution } from '#kernel/catalog/catalog.ts'
import { manifestName } from '#kernel/installed/manifest-file.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'
import { formatMemory, type LiveRow } from '../live/live-row.ts'
import { describePlace, describePlugin, hasCode, isFault } from './describe-plugin.ts'

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
  cli.out(`${paint(cli, 'bold', plugin.name)} ${plugin.version}`.trimEnd())
  if (manifest) cli.out(manifest.description)
  const rows = [
    ['id', plugin.id],
    ['state', plugin.state],
    ['source', describeSource(plugin)],
    ['folder', plugin.root],
    ['runs', describePlace(plugin)],
    ...(contained === undefined ? [] : [['held by', contained]]),
    ...plugin.contributions.map((each) => [`${each.kind}:${each.id}`, sentence(each)]),
    ...(manifest?.contributes.commands ?? []).flatMap(describeCommands),
    ...(manifest?.env ?? []).map((each) => [each.name, `${each.prompt}${each.required ? ' (required)' : ''}`]),
    ...permissions(plugin),
    ...plugin.warnings.map((warning) => ['warning', warning]),
  ]
  cli.out(formatTable(rows.map(([name = '', value = '']) => [`  ${name}`, value])))
  printFix(cli, plugin)
}

/** The chain from the folder to the state, one link a line. */
export function printWhy(cli: Output, plugin: Listed, part?: ListedContribution): void {
  cli.out(paint(cli, 'bold', part ? `${part.kind}:${part.id} of ${plugin.id}` : plugin.id))
  cli.out(`  found in ${plugin.root} (${describeSource(plugin)})`)
  if (plugin.installed) cli.out(`  ${manifestName} is valid, version ${plugin.version}`)
  for (const warning of plugin.warnings) cli.out(`  but ${warning}`)
  const parts = part ? [part] : plugin.contributions
  for (const each of parts) cli.out(`  ${each.kind}:${each.id}: ${sentence(each)}`)
  if (parts.length === 0 && plugin.reason) cli.out(`  blocked (${plugin.reason.code}): ${plugin.reason.text}`)
  if (plugin.state === 'ready' && plugin.installed)
    cli.out(
      hasCode(plugin.installed) ? `  its code is loaded when it is first used, ${describePlace(plugin)}` : '  it is data that agent reads',
    )
  printFix(cli, part ?? plugin)
}

export function printFix(cli: Output, { reason }: Pick<Listed, 'reason'>): void {
  if (reason) cli.out(`To change that: ${reason.fix}`)
}

function sentence({ state, reason }: ListedContribution): string {
  return reason ? `blocked (${reason.code}): ${reason.text}` : state
}

function describeSource({ source, shadows }: Listed): string {
  if (source !== 'link') return source
  return shadows ? `development link, in place of the ${shadows} one` : 'development link'
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
