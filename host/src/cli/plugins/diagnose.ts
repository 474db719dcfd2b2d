import type { Listed } from '#kernel/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Cli } from '../cli.ts'
import { type OpenedCatalog, openCatalog } from '../open-catalog.ts'
import { describePlugin, isFault } from './describe-plugin.ts'

/** Something to put right. */
interface Finding {
  readonly plugin: string
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly fix: string | null
}

/** Looks for what is wrong with plugins; it changes nothing and imports no plugin code. */
export async function diagnosePlugins(cli: Cli, { json }: { readonly json?: true }): Promise<void> {
  const opened = await openCatalog(cli)
  const findings = [...opened.catalog.plugins.flatMap(examine), ...findUnknownSettings(opened)].sort((left, right) =>
    left.level.localeCompare(right.level),
  )
  if (findings.some((finding) => finding.level === 'error')) cli.exit(1)
  if (json) {
    cli.json({ plugins: opened.catalog.plugins.map(describePlugin), findings })
    return
  }
  for (const { plugin, level, text, fix } of findings) cli.out(`${level}: ${plugin}: ${text}.${fix === null ? '' : `\n  ${fix}`}`)
  const ready = opened.catalog.plugins.filter((plugin) => plugin.state === 'ready').length
  cli.out(
    `${opened.catalog.plugins.length} plugins, ${ready} ready; ${findings.length === 0 ? 'nothing to put right' : `${findings.length} to look at`}.`,
  )
}

function examine(plugin: Listed): readonly Finding[] {
  const reasons = new Map([plugin.reason, ...plugin.contributions.map((each) => each.reason)].map((reason) => [reason?.text, reason]))
  const errors = [...reasons.values()].flatMap((reason): Finding[] =>
    reason && isFault(reason) ? [{ plugin: plugin.id, level: 'error', text: reason.text, fix: reason.fix }] : [],
  )
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
