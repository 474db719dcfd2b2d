import type { Listed, ListedContribution } from '#kernel/catalog/catalog.ts'
import { manifestName } from '#kernel/installed/manifest-file.ts'
import { describePlace, hasCode } from './describe-plugin.ts'

/** The chain from the folder of a plugin to its state, or to that of one part, one link a line. */
export function explainPlugin(plugin: Listed, part?: ListedContribution): readonly string[] {
  const { installed, reason, state } = plugin
  const parts = part ? [part] : plugin.contributions
  const lines = [`found in ${plugin.root} (${describeSource(plugin)})`]
  if (installed) lines.push(`${manifestName} is valid, version ${plugin.version}`)
  lines.push(
    ...plugin.warnings.map((warning) => `but ${warning}`),
    ...parts.map((each) => `${each.kind}:${each.id}: ${describeState(each)}`),
  )
  if (parts.length === 0 && reason) lines.push(`blocked (${reason.code}): ${reason.text}`)
  if (state === 'ready' && installed)
    lines.push(hasCode(installed) ? `its code is loaded when it is first used, ${describePlace(plugin)}` : 'it is data that agent reads')
  return lines
}

export function describeState({ state, reason }: ListedContribution): string {
  return reason ? `blocked (${reason.code}): ${reason.text}` : state
}

export function describeSource({ source, shadows }: Listed): string {
  if (source !== 'link') return source
  return shadows ? `development link, in place of the ${shadows} one` : 'development link'
}

/** What a person does about it. */
export function describeFix({ reason }: Pick<Listed, 'reason'>): readonly string[] {
  return reason ? [`To change that: ${reason.fix}`] : []
}
