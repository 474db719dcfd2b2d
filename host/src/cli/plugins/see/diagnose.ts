import { basename } from 'node:path'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { type PluginLock, readPluginLock, storeFolder } from '#kernel/installed/plugin-lock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { printable } from '#observe/printable.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import { describePlugin, isFault } from '#rpc/plugins/describe-plugin.ts'
import type { Cli } from '../../console/cli.ts'
import { findChanges } from '../install/verify-files.ts'
import { findLeftovers, type Leftover, setAside } from './find-leftovers.ts'

/** Something to put right. */
interface Finding {
  readonly plugin: string
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly fix: string | null
}

export interface DiagnoseOptions {
  readonly json?: true
  /** Compares every installed file too. */
  readonly deep?: true
  /** Moves aside what nobody needs. */
  readonly fix?: true
}

/** Looks for what is wrong with plugins; it imports no plugin code, and nothing of it is ever deleted. */
export async function diagnosePlugins(cli: Cli, options: DiagnoseOptions): Promise<void> {
  const { json, deep, fix } = options
  const opened = await openCatalog(cli).catch((error: unknown) => describeUnreadable(cli, options, error))
  if (!opened) return
  const { catalog, home } = opened
  const lock = readPluginLock(home.files.pluginsLock)
  const leftovers = findLeftovers(home, lock)
  const aside = fix && leftovers.length > 0 ? setAside(home, leftovers, systemClock.now()) : null
  const findings = [
    ...catalog.plugins.flatMap(examine),
    ...findUnknownSettings(opened),
    ...findWrongSettings(opened),
    ...(deep ? compareFiles(home, lock) : []),
    ...(aside === null ? leftovers.map(toFinding) : []),
  ].sort((left, right) => left.level.localeCompare(right.level))
  if (findings.some((finding) => finding.level === 'error')) cli.exit(1)
  if (json) {
    cli.json({ plugins: catalog.plugins.map(describePlugin), findings, aside })
    return
  }
  for (const { plugin, level, text, fix: way } of findings) cli.out(`${level}: ${plugin}: ${text}.${way === null ? '' : `\n  ${way}`}`)
  if (aside !== null) for (const { path } of leftovers) cli.out(`moved: ${path} is in ${aside} now.`)
  const ready = catalog.plugins.filter((plugin) => plugin.state === 'ready').length
  cli.out(
    `${catalog.plugins.length} plugins, ${ready} ready; ${findings.length === 0 ? 'nothing to put right' : `${findings.length} to look at`}.`,
  )
}

/** Without its configuration nothing is known of any plugin; that is a finding like others. */
function describeUnreadable(cli: Cli, { json }: DiagnoseOptions, error: unknown): undefined {
  if (!json || !isAgentError(error)) throw error
  const finding: Finding = { plugin: 'config.yaml', level: 'error', text: error.message, fix: null }
  cli.json({ plugins: [], findings: [finding], aside: null })
  cli.exit(1)
}

/** Keys below `plugins` and `platforms` that do not fit and that no plugin is blocked by. */
function findWrongSettings({ catalog, loaded }: OpenedCatalog): readonly Finding[] {
  const told = catalog.plugins.flatMap(({ reason, contributions }) => [reason, ...contributions.map((each) => each.reason)])
  return loaded.problems
    .filter(({ key }) => /^(plugins|platforms)\./.test(key) && !told.some((reason) => reason?.text.startsWith(`${key} `)))
    .map(({ file, line, key, problem, plugin, platform, level }) => ({
      ...{ plugin: plugin ?? platform ?? key, level, text: `${key} ${problem} (${file}:${line})` },
      fix: `agent config unset ${key}`,
    }))
}

function toFinding({ path, text }: Leftover): Finding {
  return { plugin: basename(path), level: 'warning', text, fix: 'agent plugins doctor --fix' }
}

/** What a start does not look at: files that are no entries. */
function compareFiles({ files }: Home, { plugins }: PluginLock): readonly Finding[] {
  return [...plugins].flatMap(([plugin, locked]) =>
    findChanges(storeFolder(files.pluginsStore, plugin, locked), locked).map(
      ({ path, change }): Finding => ({
        ...{ plugin, level: 'error', fix: 'agent plugins install --frozen' },
        text: change === 'unknown' ? 'its files are not those that were installed' : `${printable(path)} was ${changes[change]}`,
      }),
    ),
  )
}

const changes = { changed: 'changed', missing: 'deleted', added: 'added' } as const

function examine(plugin: Listed): readonly Finding[] {
  const reasons = new Map([plugin.reason, ...plugin.contributions.map((each) => each.reason)].map((reason) => [reason?.text, reason]))
  const errors = [...reasons.values()].flatMap((reason): Finding[] => {
    if (!reason || !(isFault(reason) || reason.code === 'skill-taken')) return []
    return [{ plugin: plugin.id, level: isFault(reason) ? 'error' : 'warning', text: reason.text, fix: reason.fix }]
  })
  return [...errors, ...plugin.warnings.map((text): Finding => ({ plugin: plugin.id, level: 'warning', text, fix: null }))]
}

/** Settings for a plugin that is not there do nothing: most often a slip of the fingers. */
function findUnknownSettings({ catalog, loaded }: OpenedCatalog): readonly Finding[] {
  const known = catalog.plugins.map((plugin) => plugin.id)
  const { entries, deny } = loaded.config.plugins
  const named = [
    ...Object.keys(entries).map((id) => ({ id, key: `plugins.entries.${id}`, fix: `agent config unset plugins.entries.${id}` })),
    ...deny.map((id) => ({
      id,
      key: 'plugins.deny',
      fix: `agent config set plugins.deny '${JSON.stringify(deny.filter((each) => each !== id))}'`,
    })),
  ]
  return named
    .filter(({ id }) => !known.includes(id))
    .map(({ id, key, fix }): Finding => {
      const nearest = nearestName(id, known)
      const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
      return { plugin: id, level: 'warning', text: `${key} names a plugin that is not installed${hint}`, fix }
    })
}
